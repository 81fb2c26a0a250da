/** Attributes, items and slices of values. */
import { dictionaryMethods, listMethods, numberMethods } from "../library/methods-collections.js";
import { textMethods } from "../library/methods-text.js";
import type { Runtime } from "../values/runtime.js";
import {
  Callable,
  splitCharacters,
  Dictionary,
  Float,
  Group,
  toInteger,
  isHashable,
  isSimple,
  List,
  Namespace,
  orElse,
  Sequence,
  TemplateError,
  Tuple,
  typeName,
  Undefined,
  type Arguments,
  type Value,
} from "../values/values.js";

/** Returns `value.name`: a method before a key of the same name. @throws TemplateError for a value that is not there */
export function readAttribute(runtime: Runtime, value: Value, name: string): Value {
  return orElse(ownAttribute(runtime, value, name), () =>
    orElse(findKey(value, name), () => missing(value, name)),
  );
}

/** Returns `value[key]`: a key before a method of the same name. @throws TemplateError for a value that is not there */
export function readItem(runtime: Runtime, value: Value, key: Value): Value {
  if (value instanceof Dictionary || value instanceof Undefined) {
    const found = findKey(value, key);
    if (found !== undefined) return found;
  } else if (typeof key === "number" || typeof key === "boolean") return atIndex(value, toInteger(key));
  if (typeof key === "string") return orElse(ownAttribute(runtime, value, key), () => missing(value, key));
  return missing(value, typeof key === "number" ? String(key) : typeName(key));
}

function findKey(value: Value, key: Value): Value | undefined {
  if (value instanceof Undefined) throw new TemplateError(value.reason);
  // Jinja looks a key up that no dictionary can have, and finds nothing.
  return value instanceof Dictionary && isHashable(key) ? value.get(key) : undefined;
}

function ownAttribute(runtime: Runtime, value: Value, name: string): Value | undefined {
  if (value instanceof Namespace) return value.values.get(name);
  if (value instanceof Callable) return value.attribute(name);
  if (value instanceof Group && (name === "grouper" || name === "list")) return value[name];
  const method = findMethod(runtime, value, name);
  return method === undefined
    ? undefined
    : new Callable(name, method, undefined, () => `<built-in method ${name}>`);
}

function findMethod(runtime: Runtime, value: Value, name: string): ((args: Arguments) => Value) | undefined {
  if (typeof value === "string") {
    const method = textMethods.get(name);
    return method && ((args) => method(runtime, value, args));
  }
  if (value instanceof Dictionary) {
    const method = dictionaryMethods.get(name);
    return method && ((args) => method(runtime, value, args));
  }
  if (value instanceof Sequence) {
    const isKnown =
      value instanceof List || (value instanceof Tuple && (name === "count" || name === "index"));
    const method = isKnown ? listMethods.get(name) : undefined;
    return method && ((args) => method(runtime, value, args));
  }
  if (typeof value !== "number" && typeof value !== "boolean" && !(value instanceof Float)) return undefined;
  const method = numberMethods.get(name);
  return method && ((args) => method(runtime, value, args));
}

function atIndex(value: Value, index: number): Value {
  if (typeof value === "string") {
    const characters = isSimple(value) ? value : splitCharacters(value);
    return characters.at(index) ?? missing(value, String(index));
  }
  if (value instanceof Sequence) return orElse(value.items.at(index), () => missing(value, String(index)));
  return missing(value, String(index));
}

function missing(value: Value, name: string): Undefined {
  const owner = value === null ? "'None'" : `'${typeName(value)} object'`;
  return new Undefined(`${owner} has no attribute '${name}'`);
}

/** Returns a part of a text or a list, with the rules of Python. */
export function readSlice(
  runtime: Runtime,
  value: Value,
  [start, stop, step]: readonly [Value, Value, Value],
): Value {
  if (typeof value === "string") {
    runtime.meter.countReading(value);
    const by = step === null ? 1 : toInteger(step);
    if (by === 1 && isSimple(value)) return value.slice(bound(start), bound(stop));
    return taken(splitCharacters(value), [start, stop, step]).join("");
  }
  if (!(value instanceof Sequence)) return missing(value, "slice");
  runtime.meter.countSteps(value.items.length);
  const items = taken(value.items, [start, stop, step]);
  return value instanceof Tuple ? new Tuple(items) : new List(items);
}

function bound(value: Value): number | undefined {
  return value === null ? undefined : toInteger(value);
}

function taken<Item>(items: readonly Item[], [start, stop, step]: readonly [Value, Value, Value]): Item[] {
  const by = step === null ? 1 : toInteger(step);
  if (by === 0) throw new TemplateError("slice step cannot be zero");
  const { length } = items;
  const [low, high] = by > 0 ? [0, length] : [-1, length - 1];
  const place = (value: Value, otherwise: number): number => {
    if (value === null) return otherwise;
    const index = toInteger(value);
    return Math.min(high, Math.max(low, index < 0 ? index + length : index));
  };
  const [from, to] = [place(start, by > 0 ? low : high), place(stop, by > 0 ? high : low)];
  const result: Item[] = [];
  for (let at = from; by > 0 ? at < to : at > to; at += by) {
    const item = items[at];
    if (item !== undefined) result.push(item);
  }
  return result;
}
