/**
 * Arguments and results of calls in histories, in the forms in which clients send them. Other servers take them all, and a conversation
 * whose client sends another form must not fail in its second turn.
 */
import { z } from "zod";
import { jsonObjectField } from "./request-fields.js";

/** Arguments of a call; `toArgumentsText` reads them. */
export const argumentsField = z
  .union([z.string(), jsonObjectField])
  .nullish()
  .describe("JSON text, or the object itself; without it, there are none.");

/** Returns arguments as JSON text. A text stays as it is, whatever it contains. */
export function toArgumentsText(given: z.infer<typeof argumentsField>): string {
  return typeof given === "string" ? given : JSON.stringify(given ?? {});
}

/** Returns a field with the result of a call: none and JSON that is neither text nor parts become a text. @param content text or parts */
export function resultField<Content extends z.ZodType>(content: Content) {
  return z.preprocess(toResult, content);
}

/** Returns text and parts unchanged, one part as a list, no result as an empty text, and other JSON as its text. */
export function toResult(given: unknown): unknown {
  if (given === undefined || given === null) return "";
  if (hasType(given)) return [given];
  return typeof given === "string" || isParts(given) ? given : JSON.stringify(given);
}

function isParts(given: unknown): boolean {
  return Array.isArray(given) && given.every(hasType);
}

function hasType(each: unknown): boolean {
  return typeof each === "object" && each !== null && "type" in each && typeof each.type === "string";
}
