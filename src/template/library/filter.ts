/** What the filters share. */
import { bound } from "../values/arguments.js";
import type { Filter, Runtime } from "../values/runtime.js";
import { Undefined, type Value } from "../values/values.js";

export type Given = readonly (Value | undefined)[];
export type NamedFilter = readonly [string, Filter];

/** @param parameters in order; one that ends with `!` must be given */
export function filter(
  name: string,
  parameters: readonly string[],
  body: (runtime: Runtime, value: Value, given: Given) => Value,
): NamedFilter {
  return [name, (runtime, value, args) => body(runtime, value, bound(name, parameters, args))];
}

/**
 * Returns what reads an attribute of items, such as `function.name` or `0`.
 * @param otherwise replaces an attribute that is not there
 */
export function attributeReader(
  runtime: Runtime,
  attribute: Value | undefined,
  otherwise?: Value,
): (item: Value) => Value {
  if (attribute == null) return (item) => item;
  const path: readonly Value[] =
    typeof attribute === "string"
      ? attribute.split(".").map((part) => (/^\d+$/.test(part) ? Number(part) : part))
      : [attribute];
  return (item) => {
    let value = item;
    for (const key of path) {
      runtime.meter.countSteps(1);
      value = runtime.item(value, key);
      if (value instanceof Undefined && otherwise !== undefined) value = otherwise;
    }
    return value;
  };
}
