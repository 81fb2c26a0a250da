/** The operators of expressions, with the results of Python's. */
import { formatted } from "../library/format.js";
import type { BinaryOperator, Comparison } from "../syntax/nodes.js";
import { contains, isEqual, order } from "../values/compare.js";
import type { Runtime } from "../values/runtime.js";
import { toText } from "../values/text.js";
import {
  defined,
  Dictionary,
  Float,
  List,
  toNumber,
  Sequence,
  TemplateError,
  Tuple,
  typeName,
  View,
  type Value,
} from "../values/values.js";

export function compared(runtime: Runtime, operator: Comparison, left: Value, right: Value): boolean {
  const { meter } = runtime;
  switch (operator) {
    case "==":
      return isEqual(left, right, meter);
    case "!=":
      return !isEqual(left, right, meter);
    case "in":
      return contains(right, left, meter);
    case "not in":
      return !contains(right, left, meter);
    case "<":
      return order(left, right, meter, operator) < 0;
    case "<=":
      return order(left, right, meter, operator) <= 0;
    case ">":
      return order(left, right, meter, operator) > 0;
    case ">=":
      return order(left, right, meter, operator) >= 0;
  }
}

/** @throws TemplateError for values that the operator does not take */
export function applyOperator(runtime: Runtime, operator: BinaryOperator, left: Value, right: Value): Value {
  if (operator === "~") return concatenated(runtime, left, right);
  const [first, second] = [toNumber(defined(left)), toNumber(defined(right))];
  if (first !== null && second !== null) {
    const isFloat = left instanceof Float || right instanceof Float;
    return calculated(operator, first, second, isFloat);
  }
  if (operator === "+") return added(runtime, left, right);
  if (operator === "*" && typeof right === "number") return repeated(runtime, left, right);
  if (operator === "*" && typeof left === "number") return repeated(runtime, right, left);
  if (operator === "%" && typeof left === "string") return formatted(runtime, left, formatArguments(right));
  throw unsupported(operator, left, right);
}

function unsupported(operator: string, left: Value, right: Value): TemplateError {
  const types = `'${typeName(left)}' and '${typeName(right)}'`;
  return new TemplateError(`unsupported operand type(s) for ${operator}: ${types}`);
}

function concatenated({ meter }: Runtime, left: Value, right: Value): string {
  const [first, second] = [toText(left, meter), toText(right, meter)];
  meter.checkText(first.length + second.length);
  return first + second;
}

function added(runtime: Runtime, left: Value, right: Value): Value {
  if (typeof left === "string") {
    if (typeof right === "string") return concatenated(runtime, left, right);
    throw new TemplateError(`can only concatenate str (not "${typeName(right)}") to str`);
  }
  if (
    left instanceof Sequence &&
    right instanceof Sequence &&
    !(left instanceof View) &&
    !(right instanceof View)
  ) {
    const isTuple = left instanceof Tuple;
    if (isTuple === right instanceof Tuple) {
      runtime.meter.countSteps(left.items.length + right.items.length);
      const items = [...left.items, ...right.items];
      return isTuple ? new Tuple(items) : new List(items);
    }
  }
  throw unsupported("+", left, right);
}

function repeated({ meter }: Runtime, value: Value, times: number): Value {
  const count = Math.max(0, times);
  if (typeof value === "string") {
    meter.checkText(value.length * count);
    return value.repeat(count);
  }
  if (!(value instanceof Sequence) || value instanceof View) throw unsupported("*", value, times);
  meter.countSteps(value.items.length * count);
  const items = Array.from({ length: count }, () => value.items).flat();
  return value instanceof Tuple ? new Tuple(items) : new List(items);
}

function formatArguments(right: Value): { positional: readonly Value[]; named: Dictionary | null } {
  if (right instanceof Tuple) return { positional: right.items, named: null };
  return { positional: [right], named: right instanceof Dictionary ? right : null };
}

function calculated(operator: BinaryOperator, left: number, right: number, isFloat: boolean): Value {
  if (right === 0 && (operator === "/" || operator === "//" || operator === "%"))
    throw new TemplateError("division by zero");
  switch (operator) {
    case "+":
      return numeric(left + right, isFloat);
    case "-":
      return numeric(left - right, isFloat);
    case "*":
      return numeric(left * right, isFloat);
    case "/":
      return new Float(left / right);
    case "//":
      return numeric(Math.floor(left / right), isFloat);
    case "%":
      return numeric(left - right * Math.floor(left / right), isFloat);
    default:
      return power(left, right, isFloat);
  }
}

function power(left: number, right: number, isFloat: boolean): Value {
  if (left === 0 && right < 0) throw new TemplateError("0.0 cannot be raised to a negative power");
  return numeric(left ** right, isFloat || right < 0);
}

function numeric(result: number, isFloat: boolean): Value {
  if (!Number.isFinite(result)) throw new TemplateError("Numerical result out of range");
  return isFloat ? new Float(result) : result + 0;
}
