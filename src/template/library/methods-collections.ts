/** The methods of dictionaries, lists and numbers. */
import { bound } from "../values/arguments.js";
import { isEqual } from "../values/compare.js";
import type { ValueMethod, Runtime } from "../values/runtime.js";
import {
  Dictionary,
  Float,
  toInteger,
  listItems,
  List,
  orElse,
  TemplateError,
  Tuple,
  View,
  type Sequence,
  type Value,
} from "../values/values.js";

type Given = readonly (Value | undefined)[];

function method<Self extends Value>(
  name: string,
  parameters: readonly string[],
  body: (runtime: Runtime, self: Self, given: Given) => Value,
): readonly [string, ValueMethod<Self>] {
  return [name, (runtime, self, args) => body(runtime, self, bound(name, parameters, args))];
}

/** Returns the entries of a dictionary as pairs. */
export function listPairs({ meter }: Runtime, dictionary: Dictionary): Value[] {
  meter.countSteps(dictionary.size);
  return Array.from(dictionary.entries(), (entry) => new Tuple([...entry]));
}

export const dictionaryMethods: ReadonlyMap<string, ValueMethod<Dictionary>> = new Map([
  method<Dictionary>("get", ["key!", "default"], (_, self, [key = null, otherwise = null]) =>
    orElse(self.get(key), () => otherwise),
  ),
  method<Dictionary>("items", [], (runtime, self) => new View(listPairs(runtime, self), "dict_items")),
  method<Dictionary>("keys", [], ({ meter }, self) => {
    meter.countSteps(self.size);
    return new View(self.keys(), "dict_keys");
  }),
  method<Dictionary>("values", [], ({ meter }, self) => {
    meter.countSteps(self.size);
    return new View(self.values(), "dict_values");
  }),
  method<Dictionary>("copy", [], ({ meter }, self) => {
    meter.countSteps(self.size);
    return new Dictionary(self.entries());
  }),
  method<Dictionary>("pop", ["key!", "default"], (_, self, [key = null, otherwise]) => {
    const value = orElse(self.get(key), () => {
      if (otherwise === undefined) throw new TemplateError("pop(): key not found");
      return otherwise;
    });
    self.delete(key);
    return value;
  }),
  method<Dictionary>("setdefault", ["key!", "default"], (_, self, [key = null, otherwise = null]) => {
    if (!self.has(key)) self.set(key, otherwise);
    return self.get(key) ?? null;
  }),
  [
    "update",
    ({ meter }, self, { positional: [other], named }) => {
      if (other instanceof Dictionary) {
        meter.countSteps(other.size);
        for (const [key, value] of other.entries()) self.set(key, value);
      }
      for (const [key, value] of named) self.set(key, value);
      return null;
    },
  ],
]);

/** Those that change a list are the ones of llama.cpp; templates keep their queues with them. */
export const listMethods: ReadonlyMap<string, ValueMethod<Sequence>> = new Map([
  method<Sequence>("count", ["value!"], ({ meter }, { items }, [value = null]) => {
    meter.countSteps(items.length);
    return items.filter((item) => isEqual(item, value, meter)).length;
  }),
  method<Sequence>("index", ["value!"], ({ meter }, { items }, [value = null]) => {
    meter.countSteps(items.length);
    const at = items.findIndex((item) => isEqual(item, value, meter));
    if (at === -1) throw new TemplateError("index(): the value is not in the list");
    return at;
  }),
  method<Sequence>("copy", [], ({ meter }, { items }) => {
    meter.countSteps(items.length);
    return new List([...items]);
  }),
  method<Sequence>("append", ["object!"], (_, { items }, [item = null]) => {
    items.push(item);
    return null;
  }),
  method<Sequence>("extend", ["iterable!"], ({ meter }, { items }, [more = null]) => {
    for (const item of [...listItems(more, meter)]) items.push(item);
    return null;
  }),
  method<Sequence>("insert", ["index!", "object!"], ({ meter }, { items }, [index = null, item = null]) => {
    meter.countSteps(items.length);
    items.splice(toInteger(index), 0, item);
    return null;
  }),
  method<Sequence>("pop", ["index"], ({ meter }, { items }, [index = -1]) => {
    meter.countSteps(items.length);
    const at = toInteger(index);
    const item = items.at(at);
    if (item === undefined)
      throw new TemplateError(items.length === 0 ? "pop from empty list" : "pop index out of range");
    items.splice(at, 1);
    return item;
  }),
]);

export const numberMethods: ReadonlyMap<string, ValueMethod<number | boolean | Float>> = new Map([
  method<number | boolean | Float>(
    "is_integer",
    [],
    (_, self) => !(self instanceof Float) || Number.isInteger(self.value),
  ),
]);
