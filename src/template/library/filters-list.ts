/** Filters for lists, and for the items of dictionaries and texts. */
import { textArgument } from "../values/arguments.js";
import { isEqual, order } from "../values/compare.js";
import type { Runtime } from "../values/runtime.js";
import { toText } from "../values/text.js";
import {
  Dictionary,
  Float,
  Group,
  toInteger,
  toNumber,
  isTruthy,
  listItems,
  lengthOfText,
  List,
  orElse,
  Sequence,
  TemplateError,
  Tuple,
  typeName,
  Undefined,
  type Value,
} from "../values/values.js";
import { attributeReader, filter, type Given, type NamedFilter } from "./filter.js";
import { listPairs } from "./methods-collections.js";

export const listFilters: readonly NamedFilter[] = [
  ...["length", "count"].map((name) => filter(name, [], (_, value) => readLength(value))),
  filter("list", [], ({ meter }, value) => new List([...listItems(value, meter)])),
  filter("first", [], ({ meter }, value) =>
    orElse(listItems(value, meter)[0], () => new Undefined("No first item, sequence was empty.")),
  ),
  filter("last", [], ({ meter }, value) =>
    orElse(listItems(value, meter).at(-1), () => new Undefined("No last item, sequence was empty.")),
  ),
  filter("reverse", [], ({ meter }, value) => {
    const items = [...listItems(value, meter)].reverse();
    return typeof value === "string" ? items.map((item) => toText(item, meter)).join("") : new List(items);
  }),
  filter("join", ["d", "attribute"], joined),
  filter("items", [], (runtime, value) => {
    if (value instanceof Undefined) return new List([]);
    if (!(value instanceof Dictionary)) throw new TemplateError("Can only get item pairs from a mapping.");
    return new List(listPairs(runtime, value));
  }),
  filter("dictsort", ["case_sensitive", "by", "reverse"], dictSorted),
  filter("sort", ["reverse", "case_sensitive", "attribute"], (runtime, value, given) => {
    const [reverse = false, caseSensitive = false, attribute] = given;
    const key = sortKey(runtime, attribute, isTruthy(caseSensitive));
    return new List(sorted(runtime, listItems(value, runtime.meter), key, isTruthy(reverse)));
  }),
  filter("unique", ["case_sensitive", "attribute"], (runtime, value, [caseSensitive = false, attribute]) => {
    const [read, fold] = [attributeReader(runtime, attribute), withoutCase(isTruthy(caseSensitive))];
    const seen = new Dictionary();
    const unique = listItems(value, runtime.meter).filter((item) => {
      const key = fold(read(item));
      const isNew = !seen.has(key);
      seen.set(key, true);
      return isNew;
    });
    return new List(unique);
  }),
  filter("min", ["case_sensitive", "attribute"], (runtime, value, given) =>
    extreme(runtime, value, given, -1),
  ),
  filter("max", ["case_sensitive", "attribute"], (runtime, value, given) =>
    extreme(runtime, value, given, 1),
  ),
  filter("sum", ["attribute", "start"], (runtime, value, [attribute, start = 0]) => {
    const read = attributeReader(runtime, attribute);
    return listItems(value, runtime.meter).reduce((sum, item) => addValues(sum, read(item)), start);
  }),
  filter("groupby", ["attribute!", "default", "case_sensitive"], grouped),
  filter("batch", ["linecount!", "fill_with"], (runtime, value, [count = 1, fill = null]) => {
    const items = listItems(value, runtime.meter);
    const size = Math.max(1, toInteger(count));
    runtime.meter.countSteps(size);
    const rows: Value[][] = [];
    for (let at = 0; at < items.length; at += size) rows.push(items.slice(at, at + size));
    const last = rows.at(-1);
    while (fill !== null && last !== undefined && last.length < size) last.push(fill);
    return new List(rows.map((row) => new List(row)));
  }),
  filter("slice", ["slices!", "fill_with"], sliced),
];

function readLength(value: Value): number {
  if (typeof value === "string") return lengthOfText(value);
  if (value instanceof Sequence) return value.items.length;
  if (value instanceof Dictionary) return value.size;
  if (value instanceof Undefined) return 0;
  throw new TemplateError(`object of type '${typeName(value)}' has no len()`);
}

function joined(runtime: Runtime, value: Value, [separator = "", attribute]: Given): string {
  const { meter } = runtime;
  const read = attributeReader(runtime, attribute);
  const between = toText(separator, meter);
  let text = "";
  for (const [at, item] of listItems(value, meter).entries()) {
    text += (at === 0 ? "" : between) + toText(read(item), meter);
    meter.checkText(text.length);
  }
  return text;
}

/** Sorts a copy; items with equal keys keep their order, also in reverse. */
function sorted(
  { meter }: Runtime,
  items: readonly Value[],
  key: (item: Value) => Value,
  isReverse: boolean,
): Value[] {
  const keyed = items.map((item) => ({ item, key: key(item) }));
  keyed.sort((left, right) => {
    meter.countSteps(1);
    const difference = order(left.key, right.key, meter);
    return isReverse ? -difference : difference;
  });
  return keyed.map(({ item }) => item);
}

/** Several attributes are separated by commas. */
function sortKey(
  runtime: Runtime,
  attribute: Value | undefined,
  isCaseSensitive: boolean,
): (item: Value) => Value {
  const fold = withoutCase(isCaseSensitive);
  if (typeof attribute !== "string" || !attribute.includes(",")) {
    const read = attributeReader(runtime, attribute);
    return (item) => fold(read(item));
  }
  const readers = attribute.split(",").map((part) => attributeReader(runtime, part));
  return (item) => new Tuple(readers.map((read) => fold(read(item))));
}

function dictSorted(runtime: Runtime, value: Value, given: Given): Value {
  const [caseSensitive = false, by = "key", reverse = false] = given;
  if (!(value instanceof Dictionary))
    throw new TemplateError(`'${typeName(value)}' object has no attribute 'items'`);
  const which = textArgument(by, "by");
  if (which !== "key" && which !== "value")
    throw new TemplateError('You can only sort by either "key" or "value"');
  const fold = withoutCase(isTruthy(caseSensitive));
  const key = (pair: Value): Value => {
    const items = pair instanceof Tuple ? pair.items : [];
    return fold(items[which === "key" ? 0 : 1] ?? null);
  };
  return new List(sorted(runtime, listPairs(runtime, value), key, isTruthy(reverse)));
}

function extreme(
  runtime: Runtime,
  value: Value,
  [caseSensitive = false, attribute]: Given,
  sign: 1 | -1,
): Value {
  const [read, fold] = [attributeReader(runtime, attribute), withoutCase(isTruthy(caseSensitive))];
  const [first, ...rest] = listItems(value, runtime.meter);
  if (first === undefined) return new Undefined("No aggregated item, sequence was empty.");
  return rest.reduce(
    (best, item) => (sign * order(fold(read(item)), fold(read(best)), runtime.meter) > 0 ? item : best),
    first,
  );
}

function grouped(
  runtime: Runtime,
  value: Value,
  [attribute, otherwise, caseSensitive = false]: Given,
): Value {
  const read = attributeReader(runtime, attribute, otherwise);
  const fold = withoutCase(isTruthy(caseSensitive));
  const key = (item: Value): Value => fold(read(item));
  const groups: Value[][] = [];
  for (const item of sorted(runtime, listItems(value, runtime.meter), key, false)) {
    const last = groups.at(-1);
    if (last?.[0] !== undefined && isEqual(key(last[0]), key(item), runtime.meter)) last.push(item);
    else groups.push([item]);
  }
  return new List(groups.map((items) => new Group(read(items[0] ?? null), new List(items))));
}

function sliced(runtime: Runtime, value: Value, [slices = 1, fill = null]: Given): Value {
  const items = listItems(value, runtime.meter);
  const count = toInteger(slices);
  if (count <= 0) throw new TemplateError("integer division or modulo by zero");
  runtime.meter.countSteps(count);
  const [size, longer] = [Math.floor(items.length / count), items.length % count];
  const columns = Array.from({ length: count }, (_, at) => {
    const start = at * size + Math.min(at, longer);
    const column = items.slice(start, start + size + (at < longer ? 1 : 0));
    if (fill !== null && at >= longer) column.push(fill);
    return new List(column);
  });
  return new List(columns);
}

/** @throws TemplateError for a value that is not a number */
function addValues(left: Value, right: Value): Value {
  const [first, second] = [toNumber(left), toNumber(right)];
  if (first === null || second === null)
    throw new TemplateError(
      `unsupported operand type(s) for +: '${typeName(left)}' and '${typeName(right)}'`,
    );
  const sum = first + second;
  return left instanceof Float || right instanceof Float ? new Float(sum) : sum;
}

/** Returns a text in lower case, so that filters ignore case, and any other value as it is. */
function withoutCase(isCaseSensitive: boolean): (value: Value) => Value {
  return (value) => (typeof value === "string" && !isCaseSensitive ? value.toLowerCase() : value);
}
