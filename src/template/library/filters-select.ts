/** Filters that apply another filter or a test to each item. For them none is an empty list. */
import { textArgument } from "../values/arguments.js";
import type { Runtime } from "../values/runtime.js";
import { isTruthy, listItems, List, TemplateError, type Arguments, type Value } from "../values/values.js";
import { attributeReader, type NamedFilter } from "./filter.js";

export const selectFilters: readonly NamedFilter[] = [
  ["map", mapped],
  ["select", (runtime, value, args) => selected(runtime, value, args, { byAttribute: false, keep: true })],
  ["reject", (runtime, value, args) => selected(runtime, value, args, { byAttribute: false, keep: false })],
  ["selectattr", (runtime, value, args) => selected(runtime, value, args, { byAttribute: true, keep: true })],
  [
    "rejectattr",
    (runtime, value, args) => selected(runtime, value, args, { byAttribute: true, keep: false }),
  ],
];

function mapped(runtime: Runtime, value: Value, { positional, named }: Arguments): Value {
  const items = isTruthy(value) ? listItems(value, runtime.meter) : [];
  const [name, ...rest] = positional;
  if (name === undefined) {
    const attribute = named.get("attribute");
    if (attribute === undefined) throw new TemplateError("map requires a filter argument");
    const other = Array.from(named.keys()).find((key) => key !== "attribute" && key !== "default");
    if (other !== undefined) throw new TemplateError(`Unexpected keyword argument '${other}'`);
    return new List(items.map(attributeReader(runtime, attribute, named.get("default"))));
  }
  const filter = textArgument(name, "the name of a filter");
  return new List(items.map((item) => runtime.applyFilter(filter, item, { positional: rest, named })));
}

function selected(
  runtime: Runtime,
  value: Value,
  { positional, named }: Arguments,
  { byAttribute, keep }: { readonly byAttribute: boolean; readonly keep: boolean },
): Value {
  const items = isTruthy(value) ? listItems(value, runtime.meter) : [];
  const attribute = byAttribute ? positional[0] : undefined;
  const [name, ...rest] = byAttribute ? positional.slice(1) : positional;
  if (byAttribute && attribute === undefined) throw new TemplateError("Missing parameter for attribute name");
  const read = attributeReader(runtime, attribute);
  const test = name === undefined ? null : textArgument(name, "the name of a test");
  const isSo = (item: Value): boolean =>
    test === null ? isTruthy(item) : runtime.applyTest(test, item, { positional: rest, named });
  return new List(items.filter((item) => isSo(read(item)) === keep));
}
