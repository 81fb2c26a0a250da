/**
 * Parses requests of the management API, which follow the JSON encoding of protocol buffers: names in camelCase or snake_case,
 * whole numbers as numbers or strings, null for fields that are not set.
 */
import { z } from "zod";
import { boundedArray } from "../request-fields.js";
import { fieldError, safelyParsed, validFields } from "../field-error.js";

const listMax = 1000;

/** Parses a body or a query. @throws HearthError with the name of the field. */
export function parseFields<T extends z.ZodType>(schema: T, given: unknown): z.output<T> {
  return validFields(schema, camelCased(given));
}

/**
 * Parses a body of which `check` will reject some values that the schema accepts.
 * @throws HearthError with the name of the first wrong field in the order of the schema, whichever of the two rejects it.
 */
export function parseFieldsInOrder<T extends z.ZodObject>(
  schema: T,
  given: unknown,
  check: (fields: Partial<z.output<T>>) => void,
): z.output<T> {
  const named = camelCased(given);
  const parsed = safelyParsed(schema, named);
  if (parsed.success) {
    check(parsed.data);
    return parsed.data;
  }
  const names = Object.keys(schema.shape);
  const first = names.indexOf(String(parsed.error.issues[0]?.path[0]));
  const before = Object.entries(named ?? {}).filter(([name]) =>
    names.slice(0, Math.max(0, first)).includes(name),
  );
  check(schema.partial().parse(Object.fromEntries(before)) as Partial<z.output<T>>);
  throw fieldError(parsed.error, named);
}

/** A safe integer that is not negative, as a number or a string of decimal digits. */
export function wholeNumber(description: string) {
  return safeInteger(/^\d{1,16}$/, description);
}

/** A safe integer, as a number or a string of decimal digits. */
export function integer(description: string) {
  return safeInteger(/^-?\d{1,16}$/, description);
}

function safeInteger(pattern: RegExp, description: string) {
  return z
    .union([z.number(), z.string().max(20, "must have at most 20 characters")])
    .refine((value) => pattern.test(String(value)) && Number.isSafeInteger(Number(value)), {
      message: "must be a whole number",
    })
    .meta({ description, format: "int64" });
}

/** A boolean, also as a string. */
export const booleanField = z.union([z.boolean(), z.enum(["true", "false"])]);

export function isTrue(value: z.infer<typeof booleanField>): boolean {
  return value === true || value === "true";
}

/** An RFC 3339 time with an offset. */
export const timeField = z.iso.datetime({ offset: true, error: "must be an RFC 3339 time" });

/** Converts a time to milliseconds since the epoch. */
export function epochMs(value: string): number {
  return Date.parse(value);
}

export const stringList = boundedArray(z.string(), listMax);

/** Returns the fields that are neither null nor undefined. */
export function definedFields<T extends object>(fields: T): { [Name in keyof T]?: NonNullable<T[Name]> } {
  const defined = Object.entries(fields).filter(([, value]) => value != null);
  return Object.fromEntries(defined) as { [Name in keyof T]?: NonNullable<T[Name]> };
}

/** Converts `expire_time` to `expireTime`. */
export function camelCase(name: string): string {
  return name.replace(/_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function camelCased(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [camelCase(name), camelCased(field)]),
  );
}
