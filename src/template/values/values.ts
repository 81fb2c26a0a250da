/** The values of a template, with the types of Python that Jinja's own engine works on. */
import type { Meter } from "../meter.js";

/** An integer is a `number`; a float is a `Float`, so that `1.0` stays one. */
export type Value =
  null | boolean | number | string | Float | Undefined | Sequence | Dictionary | Namespace | Callable;

/** An error that the template or one of its operations raises on purpose; its message is for people. */
export class TemplateError extends Error {}

export class Float {
  constructor(readonly value: number) {}
}

/** What a name, key or attribute that is not there gives. It prints as nothing; any other use of it is an error. */
export class Undefined {
  constructor(readonly reason: string) {}
}

/** A list, or one of its relatives that differ in how they print. */
export class Sequence {
  constructor(readonly items: Value[]) {}
}

export class List extends Sequence {}

export class Tuple extends Sequence {}

/** One of the tuples that `groupby` returns, whose parts have names. */
export class Group extends Tuple {
  constructor(
    readonly grouper: Value,
    readonly list: Value,
  ) {
    super([grouper, list]);
  }
}

/** A sequence that prints in another way than a list: keys of a dictionary, or a range. */
export class View extends Sequence {
  constructor(
    items: Value[],
    readonly kind: "dict_keys" | "dict_values" | "dict_items" | "range",
    readonly printed?: string,
  ) {
    super(items);
  }
}

type Hash = string | number | null;

/** Keys are equal as in Python: `1`, `1.0` and `True` are one key, and `"1"` another. Keeps the order of insertion. */
export class Dictionary {
  readonly #entries = new Map<Hash, readonly [Value, Value]>();

  constructor(entries: Iterable<readonly [Value, Value]> = []) {
    for (const [key, value] of entries) this.set(key, value);
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: Value): Value | undefined {
    return this.#entries.get(hashKey(key))?.[1];
  }

  has(key: Value): boolean {
    return this.#entries.has(hashKey(key));
  }

  set(key: Value, value: Value): void {
    const hash = hashKey(key);
    this.#entries.set(hash, [this.#entries.get(hash)?.[0] ?? key, value]);
  }

  delete(key: Value): void {
    this.#entries.delete(hashKey(key));
  }

  entries(): IterableIterator<readonly [Value, Value]> {
    return this.#entries.values();
  }

  keys(): Value[] {
    return Array.from(this.entries(), ([key]) => key);
  }

  values(): Value[] {
    return Array.from(this.entries(), ([, value]) => value);
  }
}

/** Returns whether a value can be a key of a dictionary. */
export function isHashable(key: Value): boolean {
  if (key instanceof Tuple) return key.items.every(isHashable);
  return key === null || typeof key !== "object" || key instanceof Float;
}

function hashKey(key: Value): Hash {
  if (typeof key === "string") return key;
  if (typeof key === "number") return key;
  if (typeof key === "boolean") return Number(key);
  if (key === null) return null;
  if (key instanceof Float) return key.value;
  // A null character keeps the key of a tuple apart from texts that look alike.
  if (key instanceof Tuple)
    return `\u0000(${key.items.map((item) => JSON.stringify([typeof item, hashKey(item)])).join()})`;
  throw new TemplateError(`unhashable type: '${typeName(key)}'`);
}

/** What `namespace()` returns: the only value whose attributes a template can set. */
export class Namespace {
  readonly values = new Map<string, Value>();
}

export interface Arguments {
  readonly positional: readonly Value[];
  readonly named: ReadonlyMap<string, Value>;
}

/** A function, a method of a value or a macro. */
export class Callable {
  constructor(
    readonly name: string,
    readonly call: (args: Arguments) => Value,
    /** What it has under its own names, such as `current` of a cycler. */
    readonly attribute: (name: string) => Value | undefined = () => undefined,
    /** What it prints as. */
    readonly printed: () => string = () => `<function ${name}>`,
  ) {}
}

/** Returns Python's name of a value's type. */
export function typeName(value: Value): string {
  if (value === null) return "NoneType";
  if (typeof value === "string") return "str";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "number") return "int";
  if (value instanceof Float) return "float";
  if (value instanceof Tuple) return "tuple";
  if (value instanceof View) return value.kind;
  if (value instanceof Sequence) return "list";
  if (value instanceof Dictionary) return "dict";
  if (value instanceof Namespace) return "Namespace";
  return value instanceof Undefined ? "Undefined" : "function";
}

/** Returns a value that is there, which none is, too; else the other one. */
export function orElse(value: Value | undefined, otherwise: () => Value): Value {
  return value === undefined ? otherwise() : value;
}

export function isTruthy(value: Value): boolean {
  if (value === null || value instanceof Undefined) return false;
  if (typeof value === "object") {
    if (value instanceof Float) return value.value !== 0;
    if (value instanceof Sequence) return value.items.length > 0;
    return value instanceof Dictionary ? value.size > 0 : true;
  }
  return Boolean(value);
}

/** Returns a number, or a boolean as one, and null for any other value. */
export function toNumber(value: Value | undefined): number | null {
  if (typeof value === "number") return value;
  if (typeof value === "boolean") return Number(value);
  return value instanceof Float ? value.value : null;
}

/** Returns an integer, or a boolean as one. @throws TemplateError for any other value */
export function toInteger(value: Value): number {
  if (typeof value === "number") return value;
  if (typeof value === "boolean") return Number(value);
  throw new TemplateError(`'${typeName(value)}' object cannot be interpreted as an integer`);
}

/** @throws TemplateError of a name that is not there */
export function defined(value: Value): Exclude<Value, Undefined> {
  if (value instanceof Undefined) throw new TemplateError(value.reason);
  return value;
}

/** Returns the characters of a text, which are whole code points. */
export function splitCharacters(text: string): readonly string[] {
  return Array.from(text);
}

/** Returns whether every UTF-16 unit of a text is a character. */
export function isSimple(text: string): boolean {
  return !/[\ud800-\udfff]/.test(text);
}

export function lengthOfText(text: string): number {
  return isSimple(text) ? text.length : splitCharacters(text).length;
}

/** Returns what a loop goes through. @throws TemplateError for a value that has no items */
export function listItems(value: Value, meter: Meter): readonly Value[] {
  if (value instanceof Sequence) {
    meter.countSteps(value.items.length);
    return value.items;
  }
  if (value instanceof Undefined) return [];
  if (value instanceof Dictionary) {
    meter.countSteps(value.size);
    return value.keys();
  }
  if (typeof value === "string") {
    meter.countSteps(value.length);
    return splitCharacters(value);
  }
  throw new TemplateError(`'${typeName(value)}' object is not iterable`);
}

/** Returns the value of JSON data. Numbers without a fraction are integers. */
export function valueOfData(data: unknown): Value {
  if (data == null) return null;
  if (typeof data === "string" || typeof data === "boolean") return data;
  if (typeof data === "number") return Number.isInteger(data) ? data : new Float(data);
  if (Array.isArray(data)) return new List(data.map(valueOfData));
  if (typeof data === "object")
    return new Dictionary(Object.entries(data).map(([key, value]) => [key, valueOfData(value)] as const));
  throw new TemplateError(`a variable of the template is a ${typeof data}`);
}
