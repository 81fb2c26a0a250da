import type { JsonValue } from "./node.js";
import { SchemaRefusal } from "./refusal.js";

/** The most that one schema may have. Sizes of text are bytes of compact JSON in UTF-8. */
export interface SchemaLimits {
  readonly bytesMax: number;
  /** Arrays and objects inside one another. */
  readonly depthMax: number;
  /** Entries of all `properties` together. */
  readonly propertiesMax: number;
  /** Values of all `enum`s together. */
  readonly enumValuesMax: number;
  readonly enumBytesMax: number;
  /** Different subschemas that references name. */
  readonly refsMax: number;
  readonly patternBytesMax: number;
  /** Subschemas that judge one and the same value, one inside the other. */
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
 * Walks the whole document without recursion before anything else looks at it.
 * @throws SchemaRefusal when it is too large or too deep, or holds what JSON cannot write
 */
export function guardDocument(document: unknown, limits: SchemaLimits): JsonValue {
  const pending: { readonly value: unknown; readonly depth: number }[] = [{ value: document, depth: 0 }];
  let bytes = 0;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, depth } = next;
    if (depth > limits.depthMax) throw tooDeep(limits);
    bytes += ownBytes(value);
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

/** Bytes of a value as compact JSON. The value is known to be bounded in depth. */
export function jsonBytes(value: JsonValue): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function ownBytes(value: unknown): number {
  if (value === null || typeof value === "boolean") return 4;
  if (typeof value === "string") return Buffer.byteLength(value) + 2;
  if (typeof value === "number" && Number.isFinite(value)) return String(value).length;
  if (typeof value === "object") return 2;
  throw new SchemaRefusal(`A schema is JSON; it holds a value of type ${typeof value}.`, {
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
