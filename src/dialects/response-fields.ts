/**
 * Helpers for response schemas. The TypeScript types and the OpenAPI document are derived from these schemas; responses are
 * not validated by them at run time. Pure.
 */
import { z } from "zod";

/** A read-only object of a response. */
export function responseObject<T extends z.core.$ZodLooseShape>(fields: T) {
  return z.object(fields).readonly();
}

/** A read-only array. */
export function responseArray<T extends z.core.SomeType>(element: T) {
  return z.array(element).readonly();
}

/** An integer of at least 0. */
export function countField(description: string) {
  return z.number().min(0).meta({ type: "integer", description });
}

export const unixSecondsField = countField("Unix seconds.");
