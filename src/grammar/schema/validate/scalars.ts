import { accepts } from "../../regular/automaton.js";
import {
  compareNumbers,
  ExactNumber,
  isInteger,
  type JsonNumber,
  toDecimal,
} from "../../regular/number/decimal.js";
import { formatValid } from "../../regular/pattern/format.js";
import type { JsonType, SchemaNode } from "../node.js";
import { problem, type Evaluator, type Problem, type InstanceLocation } from "./evaluator.js";
import { isAmong } from "./values.js";

/** Checks `type`, `enum`, and the keywords of numbers and strings. */
export function checkScalar(
  node: SchemaNode,
  location: InstanceLocation,
  evaluator: Evaluator,
): Problem | null {
  const { value } = location;
  if (Number.isNaN(value)) return problem("number", node, location, "must be in the range of a double");
  if (node.types !== undefined && !hasType(value, node.types))
    return problem("type", node, location, `must be ${[...node.types].join(" or ")}`);
  const values = evaluator.values.of(node);
  if (values !== null && !isAmong(value, values))
    return problem("enum", node, location, "must be one of the values");
  if (isNumber(value)) return checkNumber(node, value, location);
  if (typeof value === "string") return checkString(node, value, location, evaluator);
  return null;
}

function hasType(value: unknown, types: ReadonlySet<JsonType>): boolean {
  if (value === null) return types.has("null");
  if (Array.isArray(value)) return types.has("array");
  if (isNumber(value)) return types.has("number") || (types.has("integer") && isInteger(value));
  if (typeof value === "string") return types.has("string");
  if (typeof value === "boolean") return types.has("boolean");
  return typeof value === "object" && types.has("object");
}

function isNumber(value: unknown): value is JsonNumber {
  return typeof value === "number" || value instanceof ExactNumber;
}

function checkNumber(node: SchemaNode, value: JsonNumber, location: InstanceLocation): Problem | null {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = node;
  if (minimum !== undefined && compareNumbers(value, minimum) < 0)
    return problem("minimum", node, location, `must be at least ${String(minimum)}`);
  if (maximum !== undefined && compareNumbers(value, maximum) > 0)
    return problem("maximum", node, location, `must be at most ${String(maximum)}`);
  if (exclusiveMinimum !== undefined && compareNumbers(value, exclusiveMinimum) <= 0)
    return problem("exclusiveMinimum", node, location, `must be more than ${String(exclusiveMinimum)}`);
  if (exclusiveMaximum !== undefined && compareNumbers(value, exclusiveMaximum) >= 0)
    return problem("exclusiveMaximum", node, location, `must be less than ${String(exclusiveMaximum)}`);
  if (multipleOf !== undefined && !isMultiple(value, multipleOf))
    return problem("multipleOf", node, location, `must be a multiple of ${multipleOf}`);
  return null;
}

function checkString(
  node: SchemaNode,
  value: string,
  location: InstanceLocation,
  evaluator: Evaluator,
): Problem | null {
  const { minLength, maxLength, pattern, format } = node;
  if (minLength !== undefined || maxLength !== undefined) {
    const length = codePoints(value);
    if (minLength !== undefined && length < minLength)
      return problem("minLength", node, location, `must have at least ${minLength} characters`);
    if (maxLength !== undefined && length > maxLength)
      return problem("maxLength", node, location, `must have at most ${maxLength} characters`);
  }
  if (pattern !== undefined && !matches(pattern, value, location, evaluator))
    return problem("pattern", node, location, `must match ${JSON.stringify(pattern)}`);
  if (format !== undefined && !formatValid(format, value))
    return problem("format", node, location, `must be of the format ${format}`);
  return null;
}

/** Returns whether a text matches one of the schema's patterns. */
export function matches(
  pattern: string,
  text: string,
  location: InstanceLocation,
  evaluator: Evaluator,
): boolean {
  evaluator.countStep(location);
  const automaton = evaluator.patterns.get(pattern);
  if (automaton === undefined) throw new RangeError("a pattern of another schema");
  return accepts(automaton, text);
}

function codePoints(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    if ((text.codePointAt(at) ?? 0) > 0xffff) at += 1;
    count += 1;
  }
  return count;
}

/**
 * Returns whether a number is an integer multiple of another, decided on decimal digits: 0.3 is a multiple of
 * 0.1.
 */
function isMultiple(value: JsonNumber, of: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(of)) return Number(value) % of === 0;
  const left = decimal(value);
  const right = decimal(of);
  const exponent = Math.min(left.exponent, right.exponent);
  return scaled(left, exponent) % scaled(right, exponent) === 0n;
}

interface Decimal {
  readonly digits: bigint;
  /** The absolute value is digits * 10 ** exponent. */
  readonly exponent: number;
}

function decimal(value: JsonNumber): Decimal {
  const { whole, fraction } = toDecimal(value);
  return { digits: BigInt(whole + fraction), exponent: -fraction.length };
}

function scaled({ digits, exponent }: Decimal, to: number): bigint {
  return digits * 10n ** BigInt(exponent - to);
}
