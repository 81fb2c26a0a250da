/** Converts the errors of a request schema into the error that is sent to the client. */
import type { z } from "zod";
import { HearthError } from "../core/errors.js";

type Issue = z.core.$ZodIssue;

const paramCharsMax = 200;

const typeNames: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  integer: "an integer",
  boolean: "true or false",
  array: "an array",
  object: "an object",
  record: "an object",
};

/**
 * Validates a request body and returns its fields.
 * @throws HearthError `invalid_field` or `invalid_value` that names the first invalid field.
 */
export function validFields<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const parsed = safelyParsed(schema, body);
  if (!parsed.success) throw fieldError(parsed.error, body);
  return parsed.data;
}

/**
 * The same as the schema's `safeParse`. An object whose `length` cannot be compared, such as `{"toString": 0}`, makes that throw, because
 * it compares lengths before it knows that the value is an array or a string.
 * @throws HearthError `invalid_field` for such an object.
 */
export function safelyParsed<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
): z.ZodSafeParseResult<z.output<Schema>> {
  try {
    return schema.safeParse(body);
  } catch (thrown) {
    const path = thrown instanceof TypeError ? pathOfLength(body) : null;
    if (path === null) throw thrown;
    // Other fields, which the schema does not have, may have such a length, too: the schema says which field is wrong.
    const parsed = schema.safeParse(withoutIncomparableLengths(body));
    if (!parsed.success) return parsed;
    throw problem("invalid_field", path, mustBe(["array", "string"]));
  }
}

/**
 * Returns an error for the first issue of a request body: `invalid_field` if a field is missing or has the wrong type,
 * `invalid_value` if its value is not allowed. The message begins with the dotted path of the field.
 */
export function fieldError(error: z.ZodError, body: unknown): HearthError {
  const issue = error.issues[0];
  if (issue === undefined) return new HearthError("invalid_field", "The request body is not valid.");
  return describe(issue, [], body);
}

/** Returns an `invalid_value` error that names its field; `code` is the machine-readable code. */
export function invalidValue(param: string, problem: string, code?: string): HearthError {
  return new HearthError("invalid_value", `${param}: ${problem}`, { param, code });
}

/** Returns an error for a field, or a value of a field, that this server does not support. */
export function unsupported(param: string, what: string): HearthError {
  return invalidValue(param, `${what} not supported by this server`, "unsupported_parameter");
}

function describe(issue: Issue, prefix: readonly PropertyKey[], body: unknown): HearthError {
  const path = [...prefix, ...issue.path];
  const value = valueAt(body, path);
  if (path.length === 0) return new HearthError("invalid_field", "The request body must be a JSON object.");
  if (value === undefined) return problem("invalid_field", path, "is required");
  if (issue.code === "invalid_union") return describeUnion(issue, path, body, value);
  if (issue.code === "invalid_type") return problem("invalid_field", path, mustBe([issue.expected]));
  if (issue.code === "invalid_value") return describeChoice(issue.values, path, value);
  if (issue.code === "custom" && issue.params?.["type"] === "integer")
    return problem("invalid_field", path, mustBe(["integer"]));
  return problem("invalid_value", path, issue.message);
}

function describeChoice(
  values: readonly unknown[],
  path: readonly PropertyKey[],
  value: unknown,
): HearthError {
  const wrongType = values.every((each) => typeof each !== typeof value);
  return problem(wrongType ? "invalid_field" : "invalid_value", path, `must be one of ${values.join(", ")}`);
}

/** Describes the issue of the branch with the deepest path: the client most likely meant that branch. */
function describeUnion(
  issue: Extract<Issue, { code: "invalid_union" }>,
  path: readonly PropertyKey[],
  body: unknown,
  value: unknown,
): HearthError {
  if (issue.errors.length === 0)
    return problem(
      typeof value === "string" ? "invalid_value" : "invalid_field",
      path,
      "is not a known value",
    );
  const firsts = issue.errors.flatMap((branch) => branch.slice(0, 1));
  const byDepth = firsts.toSorted((a, b) => b.path.length - a.path.length);
  const likeliest = byDepth.find((each) => each.path.length > 0 || each.code !== "invalid_type");
  if (likeliest !== undefined) return describe(likeliest, path, body);
  const expected = firsts.flatMap((each) => (each.code === "invalid_type" ? [each.expected] : []));
  return problem("invalid_field", path, mustBe(expected));
}

function problem(
  kind: "invalid_field" | "invalid_value",
  path: readonly PropertyKey[],
  text: string,
): HearthError {
  const param = path.map(String).join(".").slice(0, paramCharsMax);
  return new HearthError(kind, `${param}: ${text}`, { param });
}

function mustBe(types: readonly string[]): string {
  return `must be ${types.map((type) => typeNames[type] ?? type).join(" or ")}`;
}

/** Returns the path of the first object within a value whose `length` cannot be compared; null if there is none. */
function pathOfLength(value: unknown): readonly string[] | null {
  if (typeof value !== "object" || value === null) return null;
  for (const [key, inner] of Object.entries(value)) {
    const path = hasIncomparableLength(inner) ? [] : pathOfLength(inner);
    if (path !== null) return [key, ...path];
  }
  return null;
}

/** Returns a copy of a JSON value in which no object has a `length` that cannot be compared. */
function withoutIncomparableLengths(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutIncomparableLengths);
  const isStrange = hasIncomparableLength(value);
  const fields = Object.entries(value).filter(([key]) => !isStrange || key !== "length");
  return Object.fromEntries(fields.map(([key, inner]) => [key, withoutIncomparableLengths(inner)]));
}

function hasIncomparableLength(value: unknown): boolean {
  if (typeof value !== "object" || value === null || !("length" in value)) return false;
  try {
    Number(value.length);
    return false;
  } catch {
    return true;
  }
}

function valueAt(body: unknown, path: readonly PropertyKey[]): unknown {
  let value: unknown = body;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Readonly<Record<PropertyKey, unknown>>)[key];
  }
  return value;
}
