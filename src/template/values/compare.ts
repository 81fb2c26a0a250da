/** Equality and order of values, as Python defines them. */
import type { Meter } from "../meter.js";
import {
  splitCharacters,
  defined,
  Dictionary,
  isSimple,
  toNumber,
  Sequence,
  TemplateError,
  Tuple,
  typeName,
  Undefined,
  View,
  type Value,
} from "./values.js";

export function isEqual(left: Value, right: Value, meter: Meter): boolean {
  if (left === right) return true;
  const [first, second] = [toNumber(left), toNumber(right)];
  if (first !== null && second !== null) return first === second;
  if (left instanceof Undefined) return right instanceof Undefined;
  if (left instanceof Sequence && right instanceof Sequence)
    return nameKind(left) === nameKind(right) && hasEqualItems(left.items, right.items, meter);
  if (left instanceof Dictionary && right instanceof Dictionary) {
    if (left.size !== right.size) return false;
    for (const [key, value] of left.entries()) {
      meter.countSteps(1);
      const other = right.get(key);
      if (other === undefined || !isEqual(value, other, meter)) return false;
    }
    return true;
  }
  return false;
}

function nameKind(value: Sequence): string {
  return value instanceof View ? value.kind : value instanceof Tuple ? "tuple" : "list";
}

function hasEqualItems(left: readonly Value[], right: readonly Value[], meter: Meter): boolean {
  if (left.length !== right.length) return false;
  return left.every((item, at) => {
    meter.countSteps(1);
    return isEqual(item, right[at] ?? null, meter);
  });
}

/** Returns a number below, at or above 0. @throws TemplateError for values without an order */
export function order(left: Value, right: Value, meter: Meter, operator = "<"): number {
  const [first, second] = [toNumber(defined(left)), toNumber(defined(right))];
  if (first !== null && second !== null) return first === second ? 0 : first < second ? -1 : 1;
  if (typeof left === "string" && typeof right === "string") return textOrder(left, right);
  if (left instanceof Sequence && right instanceof Sequence && nameKind(left) === nameKind(right)) {
    for (const [at, item] of left.items.entries()) {
      meter.countSteps(1);
      const other = right.items[at];
      if (other === undefined) return 1;
      if (!isEqual(item, other, meter)) return order(item, other, meter, operator);
    }
    return left.items.length - right.items.length;
  }
  const types = `'${typeName(left)}' and '${typeName(right)}'`;
  throw new TemplateError(`'${operator}' not supported between instances of ${types}`);
}

/** Compares by code points. */
function textOrder(left: string, right: string): number {
  if (left === right) return 0;
  if (isSimple(left) && isSimple(right)) return left < right ? -1 : 1;
  const [first, second] = [splitCharacters(left), splitCharacters(right)];
  const at = first.findIndex((character, index) => character !== second[index]);
  if (at === -1) return -1;
  const [mine, other] = [first[at]?.codePointAt(0) ?? 0, second[at]?.codePointAt(0) ?? -1];
  return mine - other;
}

/** Returns whether a container has an item, a key or a part of its text. */
export function contains(container: Value, item: Value, meter: Meter): boolean {
  if (typeof container === "string") {
    if (typeof item === "string") return container.includes(item);
    throw new TemplateError(`'in <string>' requires string as left operand, not ${typeName(item)}`);
  }
  if (container instanceof Dictionary) return container.has(item);
  if (container instanceof Undefined) return false;
  if (container instanceof Sequence)
    return container.items.some((other) => {
      meter.countSteps(1);
      return isEqual(other, item, meter);
    });
  throw new TemplateError(`argument of type '${typeName(container)}' is not iterable`);
}
