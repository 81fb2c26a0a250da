import { ExactNumber } from "../regular/number/decimal.js";
import { jsonText } from "./json-text.js";
import { pointerTo } from "./location.js";
import type { JsonValue } from "./node.js";
import { SchemaRefusal } from "./refusal.js";

/** The limits of one schema document. Sizes of text are bytes of compact JSON in UTF-8. */
export interface SchemaLimits {
  readonly bytesMax: number;
  /** The nesting depth of arrays and objects. */
  readonly depthMax: number;
  /** The number of entries of all `properties` objects together. */
  readonly propertiesMax: number;
  /** The number of values of all `enum` arrays together. */
  readonly enumValuesMax: number;
  readonly enumBytesMax: number;
  /** The number of different subschemas that references point to. */
  readonly refsMax: number;
  readonly patternBytesMax: number;
  /** The length of a chain of subschemas that apply to the same instance value. */
  readonly inPlaceMax: number;
}

export const schemaLimits: SchemaLimits = {
  bytesMax: 256 * 1024,
  depthMax: 64,
  propertiesMax: 5000,
  enumValuesMax: 10_000,
  enumBytesMax: 200 * 1024,
  refsMax: 2000,
  patternBytesMax: 2048,
  inPlaceMax: 200,
};

/**
 * Checks size, depth and content of the whole document, without recursion.
 * @throws SchemaRefusal when the document is too large, too deep, or contains a value that JSON cannot
 * represent
 */
export function guardDocument(document: unknown, limits: SchemaLimits): JsonValue {
  const pending: Visit[] = [{ value: document, depth: 0, key: "", outer: null }];
  let bytes = 0;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, depth } = next;
    if (depth > limits.depthMax) throw tooDeep(limits);
    if (typeof value === "number" && !Number.isFinite(value)) throw outOfRange(next);
    bytes += bytesWithoutChildren(value);
    if (bytes > limits.bytesMax) throw tooLarge(limits);
    if (typeof value !== "object" || value === null || value instanceof ExactNumber) continue;
    for (const [key, item] of Object.entries(value)) {
      if (!Array.isArray(value)) bytes += Buffer.byteLength(key) + 4;
      pending.push({ value: item, depth: depth + 1, key, outer: next });
    }
    if (bytes + pending.length > limits.bytesMax) throw tooLarge(limits);
  }
  return document as JsonValue;
}

/** A value of the document, and the array or object that contains it. */
interface Visit {
  readonly value: unknown;
  readonly depth: number;
  readonly key: string;
  readonly outer: Visit | null;
}

/** Returns the refusal of a number that parseJson could not read. Its keyword is the last name on the way to it. */
function outOfRange({ key, outer }: Visit): SchemaRefusal {
  const tokens: string[] = [];
  let keyword: string | null = null;
  for (let [name, at] = [key, outer]; at !== null; [name, at] = [at.key, at.outer]) {
    if (keyword !== null) tokens.unshift(name);
    else if (!Array.isArray(at.value)) keyword = name;
  }
  const pointer = tokens.reduce((before, token) => pointerTo(before, token), "");
  const problem = "has a number that is beyond the range of a double, or has more than 400 digits";
  return new SchemaRefusal(`${keyword ?? "The schema"} ${problem}.`, { keyword, pointer });
}

/** Returns the size of a value as compact JSON, in bytes. The depth of the value must be bounded. */
export function jsonBytes(value: JsonValue): number {
  return Buffer.byteLength(jsonText(value));
}

function bytesWithoutChildren(value: unknown): number {
  if (value === null || typeof value === "boolean") return 4;
  if (typeof value === "string") return Buffer.byteLength(value) + 2;
  if (typeof value === "number" || value instanceof ExactNumber) return String(value).length;
  if (typeof value === "object") return 2;
  throw new SchemaRefusal(`A schema must be JSON; it contains a value of type ${typeof value}.`, {
    keyword: null,
    pointer: "",
  });
}

function tooDeep(limits: SchemaLimits): SchemaRefusal {
  const message =
    `The schema is nested more than ${limits.depthMax} levels deep; ` +
    "move inner schemas to $defs and refer to them with $ref.";
  return new SchemaRefusal(message, { keyword: null, pointer: "" });
}

function tooLarge(limits: SchemaLimits): SchemaRefusal {
  return new SchemaRefusal(`The schema is larger than ${limits.bytesMax} bytes of JSON.`, {
    keyword: null,
    pointer: "",
  });
}
