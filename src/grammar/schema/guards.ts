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
  const pending: { readonly value: unknown; readonly depth: number }[] = [{ value: document, depth: 0 }];
  let bytes = 0;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, depth } = next;
    if (depth > limits.depthMax) throw tooDeep(limits);
    bytes += bytesWithoutChildren(value);
    if (bytes > limits.bytesMax) throw tooLarge(limits);
    if (typeof value !== "object" || value === null) continue;
    if (Array.isArray(value)) for (const item of value) pending.push({ value: item, depth: depth + 1 });
    else
      for (const [key, item] of Object.entries(value)) {
        bytes += Buffer.byteLength(key) + 4;
        pending.push({ value: item, depth: depth + 1 });
      }
    if (bytes + pending.length > limits.bytesMax) throw tooLarge(limits);
  }
  return document as JsonValue;
}

/** Returns the size of a value as compact JSON, in bytes. The depth of the value must be bounded. */
export function jsonBytes(value: JsonValue): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function bytesWithoutChildren(value: unknown): number {
  if (value === null || typeof value === "boolean") return 4;
  if (typeof value === "string") return Buffer.byteLength(value) + 2;
  if (typeof value === "number" && Number.isFinite(value)) return String(value).length;
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
