import { ExactNumber } from "../regular/number/decimal.js";
import type { JsonValue } from "./node.js";

export type JsonObject = Readonly<Record<string, JsonValue>>;

/** A value of the schema document, its JSON Pointer, and the base URI of its relative references. */
export interface SchemaLocation {
  readonly value: JsonValue;
  readonly pointer: string;
  readonly base: string;
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
  );
}

export function isArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** Returns the value of an own property; names such as `__proto__` get no special treatment. */
export function ownProperty(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Returns the JSON Pointer extended by one token, escaped as RFC 6901 requires. */
export function pointerTo(pointer: string, token: string | number): string {
  return `${pointer}/${String(token).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** Returns the unescaped reference tokens of a JSON Pointer. */
export function splitPointer(pointer: string): readonly string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Returns the value that one reference token points to, or undefined if there is none. */
export function childValue(value: JsonValue, token: string): JsonValue | undefined {
  if (isArray(value)) return /^(?:0|[1-9][0-9]*)$/.test(token) ? value[Number(token)] : undefined;
  return isObject(value) ? ownProperty(value, token) : undefined;
}

const singleSchemaKeywords = [
  "additionalItems",
  "additionalProperties",
  "contains",
  "else",
  "if",
  "items",
  "not",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
];
const schemaArrayKeywords = ["allOf", "anyOf", "items", "oneOf", "prefixItems"];
const schemaMapKeywords = [
  "$defs",
  "definitions",
  "dependencies",
  "dependentSchemas",
  "patternProperties",
  "properties",
];

/** Returns the direct subschemas of a schema object, with their JSON Pointers. */
export function subschemas(
  object: JsonObject,
  pointer: string,
): { readonly value: JsonObject; readonly pointer: string }[] {
  const found: { value: JsonObject; pointer: string }[] = [];
  const take = (value: JsonValue | undefined, at: string): void => {
    if (isObject(value)) found.push({ value, pointer: at });
  };
  for (const keyword of singleSchemaKeywords) take(ownProperty(object, keyword), pointerTo(pointer, keyword));
  for (const keyword of schemaArrayKeywords) {
    const list = ownProperty(object, keyword);
    if (isArray(list))
      list.forEach((item, index) => take(item, pointerTo(pointerTo(pointer, keyword), index)));
  }
  for (const keyword of schemaMapKeywords) {
    const map = ownProperty(object, keyword);
    if (!isObject(map)) continue;
    for (const [name, item] of Object.entries(map)) take(item, pointerTo(pointerTo(pointer, keyword), name));
  }
  return found;
}
