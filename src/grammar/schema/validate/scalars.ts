import { accepts } from "../../regular/automaton.js";
import { formatValid } from "../../regular/pattern/format.js";
import type { JsonType, SchemaNode } from "../node.js";
import { isMultiple } from "./decimal.js";
import { problem, type Judge, type Problem, type Spot } from "./judge.js";
import { isAmong } from "./values.js";

/** `type`, `enum`, and the keywords of numbers and strings. */
export function checkScalar(node: SchemaNode, spot: Spot, judge: Judge): Problem | null {
  const { value } = spot;
  if (node.types !== undefined && !hasType(value, node.types))
    return problem("type", node, spot, `must be ${[...node.types].join(" or ")}`);
  const values = judge.values.get(node);
  if (values !== undefined && !isAmong(value, values))
    return problem("enum", node, spot, "must be one of the values");
  if (typeof value === "number") return checkNumber(node, value, spot);
  if (typeof value === "string") return checkString(node, value, spot, judge);
  return null;
}

function hasType(value: unknown, types: ReadonlySet<JsonType>): boolean {
  if (value === null) return types.has("null");
  if (Array.isArray(value)) return types.has("array");
  if (typeof value === "number")
    return types.has("number") || (types.has("integer") && Number.isInteger(value));
  if (typeof value === "string") return types.has("string");
  if (typeof value === "boolean") return types.has("boolean");
  return typeof value === "object" && types.has("object");
}

function checkNumber(node: SchemaNode, value: number, spot: Spot): Problem | null {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = node;
  if (minimum !== undefined && value < minimum)
    return problem("minimum", node, spot, `must be at least ${minimum}`);
  if (maximum !== undefined && value > maximum)
    return problem("maximum", node, spot, `must be at most ${maximum}`);
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum)
    return problem("exclusiveMinimum", node, spot, `must be more than ${exclusiveMinimum}`);
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum)
    return problem("exclusiveMaximum", node, spot, `must be less than ${exclusiveMaximum}`);
  if (multipleOf !== undefined && !isMultiple(value, multipleOf))
    return problem("multipleOf", node, spot, `must be a multiple of ${multipleOf}`);
  return null;
}

function checkString(node: SchemaNode, value: string, spot: Spot, judge: Judge): Problem | null {
  const { minLength, maxLength, pattern, format } = node;
  if (minLength !== undefined || maxLength !== undefined) {
    const length = codePoints(value);
    if (minLength !== undefined && length < minLength)
      return problem("minLength", node, spot, `must have at least ${minLength} characters`);
    if (maxLength !== undefined && length > maxLength)
      return problem("maxLength", node, spot, `must have at most ${maxLength} characters`);
  }
  if (pattern !== undefined && !matches(pattern, value, spot, judge))
    return problem("pattern", node, spot, `must match ${JSON.stringify(pattern)}`);
  if (format !== undefined && !formatValid(format, value))
    return problem("format", node, spot, `must be of the format ${format}`);
  return null;
}

/** Whether a text matches one of the schema's patterns. */
export function matches(pattern: string, text: string, spot: Spot, judge: Judge): boolean {
  judge.take(spot);
  const automaton = judge.patterns.get(pattern);
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
