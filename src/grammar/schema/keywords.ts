import { ExactNumber, type JsonNumber } from "../regular/number/decimal.js";
import { jsonBytes, type SchemaLimits } from "./guards.js";
import { jsonText } from "./json-text.js";
import type { JsonValue, SchemaNode } from "./node.js";
import { isArray, isObject, ownProperty, type JsonObject } from "./location.js";
import type { SchemaRefusal } from "./refusal.js";
import { refusal } from "./resolve.js";

/** A node under construction. */
export type NodeDraft = { -readonly [Key in keyof SchemaNode]: SchemaNode[Key] };

/** Counts over the whole document of what the limits bound. */
export interface Counters {
  properties: number;
  enumValues: number;
  enumBytes: number;
}

interface KeywordContext {
  readonly limits: SchemaLimits;
  readonly counters: Counters;
  /** Returns the node of the subschema that the tokens point to, relative to this schema object. */
  readonly child: (...tokens: readonly (string | number)[]) => SchemaNode;
}

/**
 * Typed access to the keywords of one schema object. An absent keyword is undefined; a value of the wrong
 * type is rejected with a SchemaRefusal.
 */
export class Keywords {
  readonly pointer: string;
  readonly #object: JsonObject;
  readonly #context: KeywordContext;

  constructor(object: JsonObject, pointer: string, terms: KeywordContext) {
    this.#object = object;
    this.pointer = pointer;
    this.#context = terms;
  }

  /** Returns the value of a keyword without checks. */
  raw(keyword: string): JsonValue | undefined {
    return ownProperty(this.#object, keyword);
  }

  /** Returns a number without loss. */
  exactNumber(keyword: string): JsonNumber | undefined {
    return this.#read(keyword, "a number", isExactNumber);
  }

  /** @throws SchemaRefusal also for a number that a double does not keep */
  number(keyword: string): number | undefined {
    return this.#read(keyword, "a number that a double keeps without rounding", isNumber);
  }

  /** Returns a non-negative integer. */
  count(keyword: string): number | undefined {
    const wanted = "a whole number of at least 0";
    const isLong = this.raw(keyword) instanceof ExactNumber;
    return this.#read(keyword, isLong ? `${wanted} that a double keeps without rounding` : wanted, isCount);
  }

  flag(keyword: string): boolean | undefined {
    return this.#read(keyword, "true or false", isFlag);
  }

  text(keyword: string): string | undefined {
    return this.#read(keyword, "a string", isText);
  }

  stringArray(keyword: string): readonly string[] | undefined {
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
    return this.raw(keyword) === undefined ? undefined : this.#context.child(keyword);
  }

  /** Returns the subschema at a property name or array index of a keyword's value. */
  schemaIn(keyword: string, token: string | number): SchemaNode {
    return this.#context.child(keyword, token);
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

  /** @throws SchemaRefusal when the pattern exceeds its limit of bytes */
  checkPattern(source: string, keyword: string): void {
    const { patternBytesMax } = this.#context.limits;
    if (Buffer.byteLength(source) > patternBytesMax)
      throw refusal(`a pattern must have at most ${patternBytesMax} bytes`, this.pointer, keyword);
  }

  /** Adds to the document's count of properties. @throws SchemaRefusal over the limit */
  countProperties(count: number): void {
    const { counters, limits } = this.#context;
    counters.properties += count;
    if (counters.properties > limits.propertiesMax)
      throw this.#tooMany(`the schema has more than ${limits.propertiesMax} properties`, "properties");
  }

  /** Adds to the document's counts of enum values and bytes. @throws SchemaRefusal over a limit */
  countEnum(values: readonly JsonValue[]): void {
    const { counters, limits } = this.#context;
    counters.enumValues += values.length;
    counters.enumBytes += jsonBytes(values);
    if (counters.enumValues > limits.enumValuesMax)
      throw this.#tooMany(`the enums have more than ${limits.enumValuesMax} values`, "enum");
    if (counters.enumBytes > limits.enumBytesMax)
      throw this.#tooMany(`the enums have more than ${limits.enumBytesMax} bytes of JSON`, "enum");
  }

  /** Returns the refusal of a keyword whose value has the wrong type. */
  malformed(keyword: string, wanted: string): SchemaRefusal {
    const message = `${keyword} must be ${wanted}, not ${describeValue(this.raw(keyword))}`;
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

function isExactNumber(value: JsonValue): value is JsonNumber {
  return typeof value === "number" || value instanceof ExactNumber;
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

/** Returns a short description of a value for a message. */
function describeValue(value: JsonValue | undefined): string {
  if (isArray(value)) return value.length === 0 ? "an empty array" : "an array";
  if (isObject(value)) return "an object";
  const text = value === undefined ? "undefined" : jsonText(value);
  return text.length > 40 ? `${text.slice(0, 40)}...` : text;
}
