/** Schema fields with limits that the request schemas of all dialects share. */
import { z } from "zod";

const functionNameCharsMax = 256;
const stopCharsMax = 256;
export const metadataPairsMax = 16;
const metadataKeyCharsMax = 64;
const metadataValueCharsMax = 512;

export const int32Max = 2 ** 31 - 1;

/**
 * Name of a function. Allows more than OpenAI's 64 characters and any script: every name that a chat template can write and
 * a parser can read back.
 */
export const functionNameField = z
  .string()
  .min(1, "must not be empty")
  .max(functionNameCharsMax, `must be at most ${functionNameCharsMax} characters long`)
  .refine(
    (name) => !/\p{Surrogate}|\p{Cc}/u.test(name),
    "must hold no control characters and no half surrogates",
  );

export const modelIdField = z
  .string()
  .min(1, "must not be empty")
  .describe("Id or alias of a model, as listed by `GET /v1/models`.");

export const stopSequenceField = z
  .string()
  .min(1, "must not be empty")
  .max(stopCharsMax, `must be at most ${stopCharsMax} characters long`);

/** An array with a maximum length. Elements are validated only if the length is within the limit. */
export function boundedArray<T extends z.ZodType>(element: T, max: number) {
  const problem = `must hold at most ${max} elements`;
  return z
    .array(z.unknown())
    .max(max, problem)
    .pipe(z.array(element).meta({ maxItems: max }));
}

/**
 * A JSON object with members of any kind. `z.record` validates the name of each member, which takes a tenth of a second for the
 * largest object that a body can have.
 */
export const jsonObjectField = z
  .unknown()
  .check(({ value, issues }) => {
    if (!isObject(value)) issues.push({ code: "invalid_type", expected: "record", input: value });
  })
  .meta({ type: "object" }) as unknown as z.ZodType<Record<string, unknown>>;

/** Returns a record with a maximum number of members. They are validated only if there are no more. */
export function boundedRecord<Schema extends z.ZodRecord>(schema: Schema, max: number, what: string) {
  return z
    .unknown()
    .refine(
      (value) => !isObject(value) || Object.keys(value).length <= max,
      `must hold at most ${max} ${what}`,
    )
    .pipe(schema.meta({ maxProperties: max }));
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An optional number. */
export function optionalNumber(min: number, max: number) {
  const range = `must be between ${min} and ${max}`;
  return z.number().min(min, range).max(max, range).nullish();
}

/** An optional whole number. */
export function optionalInteger(min: number, max: number, range?: string) {
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

/** Pairs of texts that a client stores with an object. */
export const metadataField = boundedRecord(
  z.record(
    z.string(),
    z.string().max(metadataValueCharsMax, `must be at most ${metadataValueCharsMax} characters long`),
  ),
  metadataPairsMax,
  "pairs",
).refine(
  (pairs) => Object.keys(pairs).every((key) => key.length <= metadataKeyCharsMax),
  `must have keys of at most ${metadataKeyCharsMax} characters`,
);

const pageItemsMax = 100;

/** Items of a page whose query has no `limit`. */
export const pageItemsDefault = 20;

/** `limit` of a query. */
export const pageLimitField = queryInteger(1, pageItemsMax);

/** An optional whole number in a query. */
export function queryInteger(min: number, max: number) {
  return z.preprocess(
    (value) => (typeof value === "string" && /^-?\d{1,10}$/.test(value) ? Number(value) : value),
    requiredInteger(min, max).nullish(),
  );
}
