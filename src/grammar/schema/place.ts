import type { JsonValue } from "./node.js";

export type JsonObject = Readonly<Record<string, JsonValue>>;

/** A value of the document, where it stands, and the URI that its relative references start from. */
export interface Place {
  readonly value: JsonValue;
  readonly pointer: string;
  readonly base: string;
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** The value of an own property; a name such as `__proto__` is one like any other. */
export function own(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** A pointer with one more token, escaped by RFC 6901. */
export function pointerTo(pointer: string, token: string | number): string {
  return `${pointer}/${String(token).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** The tokens of a pointer, unescaped. */
export function tokensOf(pointer: string): readonly string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The value that one token names inside another; undefined where there is none. */
export function step(value: JsonValue, token: string): JsonValue | undefined {
  if (isArray(value)) return /^(?:0|[1-9][0-9]*)$/.test(token) ? value[Number(token)] : undefined;
  return isObject(value) ? own(value, token) : undefined;
}

const single = [
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
const lists = ["allOf", "anyOf", "items", "oneOf", "prefixItems"];
const maps = ["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"];

/** The places directly inside a schema object where a keyword puts another schema. */
export function subschemas(
  object: JsonObject,
  pointer: string,
): { readonly value: JsonObject; readonly pointer: string }[] {
  const found: { value: JsonObject; pointer: string }[] = [];
  const take = (value: JsonValue | undefined, at: string): void => {
    if (isObject(value)) found.push({ value, pointer: at });
  };
  for (const keyword of single) take(own(object, keyword), pointerTo(pointer, keyword));
  for (const keyword of lists) {
    const list = own(object, keyword);
    if (isArray(list))
      list.forEach((item, index) => take(item, pointerTo(pointerTo(pointer, keyword), index)));
  }
  for (const keyword of maps) {
    const map = own(object, keyword);
    if (!isObject(map)) continue;
    for (const [name, item] of Object.entries(map)) take(item, pointerTo(pointerTo(pointer, keyword), name));
  }
  return found;
}
