/**
 * Fields as JSON of protocol buffers has them: names in camelCase or snake_case, whole numbers as numbers or as texts, null
 * for what is not set. It owns how requests to the management plane are read; what values mean is the accounts' to judge.
 */
import { z } from "zod";
import { list } from "../../dialects/bounded.js";
import { fieldError } from "../../dialects/field-error.js";

const listMax = 1000;

/** Reads a body or a query. @throws HearthError naming the field. */
export function read<T extends z.ZodType>(schema: T, given: unknown): z.output<T> {
  const named = camelCased(given);
  const parsed = schema.safeParse(named);
  if (!parsed.success) throw fieldError(parsed.error, named);
  return parsed.data;
}

/** A whole number that does not lose digits, as a number or in decimal digits. */
export function whole(description: string) {
  return z
    .union([z.number(), z.string().max(20, "must have at most 20 characters")])
    .refine((value) => /^\d{1,16}$/.test(String(value)) && Number.isSafeInteger(Number(value)), {
      message: "must be a whole number",
    })
    .meta({ description, format: "int64" });
}

/** true and false, also as texts. */
export const flag = z.union([z.boolean(), z.enum(["true", "false"])]);

export function isTrue(value: z.infer<typeof flag>): boolean {
  return value === true || value === "true";
}

/** A time with a date, a time of day and where that is. */
export const instant = z.iso.datetime({ offset: true, error: "must be a time as RFC 3339 writes it" });

/** Milliseconds since the epoch. */
export function epochMs(value: string): number {
  return Date.parse(value);
}

export const texts = list(z.string(), listMax);

/** The fields that are set. */
export function set<T extends object>(fields: T): { [Name in keyof T]?: NonNullable<T[Name]> } {
  const there = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(there) as { [Name in keyof T]?: NonNullable<T[Name]> };
}

/** `expire_time` as `expireTime`. */
export function camelCase(name: string): string {
  return name.replace(/_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function camelCased(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [camelCase(name), camelCased(field)]),
  );
}
