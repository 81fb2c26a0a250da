/**
 * Words for the shapes of answers: from each flow its TypeScript type and its place in the OpenAPI document. Nothing is
 * parsed by them on the way out. Pure.
 */
import { z } from "zod";

/** An object of an answer; nobody changes it once it is told. */
export function shape<T extends z.core.$ZodLooseShape>(fields: T) {
  return z.object(fields).readonly();
}

/** Several of them. */
export function shapes<T extends z.core.SomeType>(element: T) {
  return z.array(element).readonly();
}

/** A whole number from 0. */
export function count(description: string) {
  return z.number().min(0).meta({ type: "integer", description });
}

export const unixSeconds = count("Unix seconds.");
