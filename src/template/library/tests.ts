/** The tests of Jinja, which stand behind `is`. */
import { contains, isEqual, order } from "../values/compare.js";
import { bound } from "../values/arguments.js";
import type { Runtime, Test } from "../values/runtime.js";
import { toText } from "../values/text.js";
import {
  Callable,
  Dictionary,
  Float,
  toInteger,
  toNumber,
  Sequence,
  TemplateError,
  Undefined,
  View,
  type Value,
} from "../values/values.js";
import { isLower, isUpper } from "./characters.js";
import { filters } from "./filters.js";

function unary(name: string, test: (value: Value, runtime: Runtime) => boolean): readonly [string, Test] {
  return [
    name,
    (runtime, value, args) => {
      bound(name, [], args);
      return test(value, runtime);
    },
  ];
}

function binary(
  names: readonly string[],
  test: (value: Value, other: Value, runtime: Runtime) => boolean,
): [string, Test][] {
  return names.map((name) => [
    name,
    (runtime, value, args) => {
      const [other = null] = bound(name, ["other!"], args);
      return test(value, other, runtime);
    },
  ]);
}

const isIterable = (value: Value): boolean =>
  typeof value === "string" ||
  value instanceof Undefined ||
  value instanceof Dictionary ||
  value instanceof Sequence;

/** Python's modulo of two integers. */
function remainder(value: Value, divisor: number): number {
  const number = value instanceof Float ? value.value : toInteger(value);
  if (divisor === 0) throw new TemplateError("integer modulo by zero");
  return number - divisor * Math.floor(number / divisor);
}

export const tests: ReadonlyMap<string, Test> = new Map([
  unary("defined", (value) => !(value instanceof Undefined)),
  unary("undefined", (value) => value instanceof Undefined),
  unary("none", (value) => value === null),
  unary("boolean", (value) => typeof value === "boolean"),
  unary("true", (value) => value === true),
  unary("false", (value) => value === false),
  unary("string", (value) => typeof value === "string"),
  unary("number", (value) => toNumber(value) !== null),
  unary("integer", (value) => typeof value === "number"),
  unary("float", (value) => value instanceof Float),
  unary("mapping", (value) => value instanceof Dictionary),
  unary("sequence", (value) => isIterable(value) && (!(value instanceof View) || value.kind === "range")),
  unary("iterable", isIterable),
  unary("callable", (value) => value instanceof Callable),
  unary("lower", (value, { meter }) => isLower(toText(value, meter))),
  unary("upper", (value, { meter }) => isUpper(toText(value, meter))),
  unary("odd", (value) => remainder(value, 2) === 1),
  unary("even", (value) => remainder(value, 2) === 0),
  // No value of a template is marked as escaped.
  unary("escaped", () => false),
  unary("filter", (value) => typeof value === "string" && filters.has(value)),
  unary("test", (value) => typeof value === "string" && tests.has(value)),
  ...binary(["divisibleby"], (value, other) => remainder(value, toInteger(other)) === 0),
  ...binary(["eq", "equalto", "=="], (value, other, { meter }) => isEqual(value, other, meter)),
  ...binary(["ne", "!="], (value, other, { meter }) => !isEqual(value, other, meter)),
  ...binary(["lt", "lessthan", "<"], (value, other, { meter }) => order(value, other, meter, "<") < 0),
  ...binary(["le", "<="], (value, other, { meter }) => order(value, other, meter, "<=") <= 0),
  ...binary(["gt", "greaterthan", ">"], (value, other, { meter }) => order(value, other, meter, ">") > 0),
  ...binary(["ge", ">="], (value, other, { meter }) => order(value, other, meter, ">=") >= 0),
  ...binary(["in"], (value, other, { meter }) => contains(other, value, meter)),
  ...binary(["sameas"], (value, other) => value === other),
]);
