import { jsonBytes, type SchemaLimits } from "./guards.js";
import type { JsonValue, SchemaNode } from "./node.js";
import { isArray, isObject, own, type JsonObject } from "./place.js";
import type { SchemaRefusal } from "./refusal.js";
import { refusal } from "./resolve.js";

/** A node while it is filled. */
export type NodeDraft = { -readonly [Key in keyof SchemaNode]: SchemaNode[Key] };

/** What the whole document has had so far of what is limited. */
export interface Counters {
  properties: number;
  enumValues: number;
  enumBytes: number;
}

interface Terms {
  readonly limits: SchemaLimits;
  readonly counters: Counters;
  /** The node of what the tokens lead to from the schema object. */
  readonly child: (...tokens: readonly (string | number)[]) => SchemaNode;
}

/**
 * The keywords of one schema object, each read as what it has to be: absent is undefined, anything else but the right kind of
 * value is a SchemaRefusal.
 */
export class Keywords {
  readonly pointer: string;
  readonly #object: JsonObject;
  readonly #terms: Terms;

  constructor(object: JsonObject, pointer: string, terms: Terms) {
    this.#object = object;
    this.pointer = pointer;
    this.#terms = terms;
  }

  /** The value as it is. */
  raw(keyword: string): JsonValue | undefined {
    return own(this.#object, keyword);
  }

  number(keyword: string): number | undefined {
    return this.#read(keyword, "a number", isNumber);
  }

  /** A whole number of at least 0. */
  count(keyword: string): number | undefined {
    return this.#read(keyword, "a whole number of at least 0", isCount);
  }

  flag(keyword: string): boolean | undefined {
    return this.#read(keyword, "true or false", isFlag);
  }

  text(keyword: string): string | undefined {
    return this.#read(keyword, "a string", isText);
  }

  names(keyword: string): readonly string[] | undefined {
    return this.#read(keyword, "an array of strings", isNames);
  }

  list(keyword: string): readonly JsonValue[] | undefined {
    return this.#read(keyword, "an array", isArray);
  }

  map(keyword: string): ReadonlyMap<string, JsonValue> | undefined {
    const value = this.#read(keyword, "an object", isObject);
    return value && new Map(Object.entries(value));
  }

  schema(keyword: string): SchemaNode | undefined {
    return this.raw(keyword) === undefined ? undefined : this.#terms.child(keyword);
  }

  /** The schema under a name or at an index of a keyword's value. */
  schemaIn(keyword: string, token: string | number): SchemaNode {
    return this.#terms.child(keyword, token);
  }

  schemas(keyword: string): readonly SchemaNode[] | undefined {
    const items = this.list(keyword);
    if (items?.length === 0) throw this.malformed(keyword, "an array of at least one schema");
    return items?.map((_, index) => this.schemaIn(keyword, index));
  }

  schemaMap(keyword: string): ReadonlyMap<string, SchemaNode> | undefined {
    const entries = this.map(keyword);
    return entries && new Map([...entries.keys()].map((name) => [name, this.schemaIn(keyword, name)]));
  }

  /** @throws SchemaRefusal when the pattern is longer than a pattern may be */
  checkPattern(source: string, keyword: string): void {
    const { patternBytesMax } = this.#terms.limits;
    if (Buffer.byteLength(source) > patternBytesMax)
      throw refusal(`a pattern may have at most ${patternBytesMax} bytes`, this.pointer, keyword);
  }

  /** Adds to the properties of the document. @throws SchemaRefusal over the limit */
  countProperties(count: number): void {
    const { counters, limits } = this.#terms;
    counters.properties += count;
    if (counters.properties > limits.propertiesMax)
      throw this.#tooMany(`the schema has more than ${limits.propertiesMax} properties`, "properties");
  }

  /** Adds to the enum values of the document. @throws SchemaRefusal over the limits */
  countEnum(values: readonly JsonValue[]): void {
    const { counters, limits } = this.#terms;
    counters.enumValues += values.length;
    counters.enumBytes += jsonBytes(values);
    if (counters.enumValues > limits.enumValuesMax)
      throw this.#tooMany(`the enums have more than ${limits.enumValuesMax} values`, "enum");
    if (counters.enumBytes > limits.enumBytesMax)
      throw this.#tooMany(`the enums have more than ${limits.enumBytesMax} bytes of JSON`, "enum");
  }

  /** The refusal of a keyword that is not as it has to be. */
  malformed(keyword: string, wanted: string): SchemaRefusal {
    const message = `${keyword} must be ${wanted}, not ${shown(this.raw(keyword))}`;
    return refusal(message, this.pointer, keyword);
  }

  #tooMany(message: string, keyword: string): SchemaRefusal {
    return refusal(`${message} in all`, this.pointer, keyword);
  }

  #read<Value extends JsonValue>(
    keyword: string,
    wanted: string,
    fits: (value: JsonValue) => value is Value,
  ): Value | undefined {
    const value = this.raw(keyword);
    if (value === undefined) return undefined;
    if (!fits(value)) throw this.malformed(keyword, wanted);
    return value;
  }
}

function isNumber(value: JsonValue): value is number {
  return typeof value === "number";
}

function isCount(value: JsonValue): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0;
}

function isFlag(value: JsonValue): value is boolean {
  return typeof value === "boolean";
}

function isText(value: JsonValue): value is string {
  return typeof value === "string";
}

function isNames(value: JsonValue): value is readonly string[] {
  return isArray(value) && value.every(isText);
}

/** A value in a message, cut short. */
function shown(value: JsonValue | undefined): string {
  if (isArray(value)) return value.length === 0 ? "an empty array" : "an array";
  if (isObject(value)) return "an object";
  const text = JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 40)}...` : text;
}
