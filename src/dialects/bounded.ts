/** Pieces of request schemas that say how much is too much, in the words every dialect's client reads. */
import { z } from "zod";

const functionNameCharsMax = 256;
const stopCharsMax = 256;

export const int32Max = 2 ** 31 - 1;

/** Smallest `top_p` the engine is given; 0 is a client's way of asking for the likeliest token. */
export const topPMin = 1e-6;

/** Longer than OpenAI's 64 characters, and any script: what a template can write and a parser read back. */
export const functionName = z
  .string()
  .min(1, "must not be empty")
  .max(functionNameCharsMax, `must be at most ${functionNameCharsMax} characters long`)
  .refine(
    (name) => !/\p{Surrogate}|\p{Cc}/u.test(name),
    "must hold no control characters and no half surrogates",
  );

export const modelField = z
  .string()
  .min(1, "must not be empty")
  .describe("Id or alias of a model, as `GET /v1/models` lists them.");

export const stopText = z
  .string()
  .min(1, "must not be empty")
  .max(stopCharsMax, `must be at most ${stopCharsMax} characters long`);

/** Elements are looked at only when their number is within bounds, so that a flood of them costs nothing. */
export function list<T extends z.ZodType>(element: T, max: number) {
  const problem = `must hold at most ${max} elements`;
  return z
    .array(z.unknown())
    .max(max, problem)
    .pipe(z.array(element).meta({ maxItems: max }));
}

/** An optional number. */
export function number(min: number, max: number) {
  const range = `must be between ${min} and ${max}`;
  return z.number().min(min, range).max(max, range).nullish();
}

/** An optional whole number. */
export function integer(min: number, max: number, range?: string) {
  return requiredInteger(min, max, range).nullish();
}

/** A whole number. */
export function requiredInteger(min: number, max: number, range = `must be between ${min} and ${max}`) {
  return z
    .number()
    .refine(Number.isInteger, { params: { type: "integer" }, abort: true })
    .min(min, range)
    .max(max, range)
    .meta({ type: "integer" });
}
