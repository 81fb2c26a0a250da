/** Parses expressions, with the precedence of Jinja's own parser. */
import { Float } from "../values/values.js";
import type { BinaryOperator, Comparison, JinjaExpression, FilterExpression } from "./nodes.js";
import { PostfixParser } from "./postfix.js";
import type { Tokens } from "./tokens.js";

const constants: ReadonlyMap<string, null | boolean> = new Map<string, null | boolean>([
  ["true", true],
  ["True", true],
  ["false", false],
  ["False", false],
  ["none", null],
  ["None", null],
]);

const postfix = new PostfixParser(parseExpression, parsePrimary);

/** Parses the filters of a block. */
export function parseBlockFilters(tokens: Tokens): FilterExpression {
  return postfix.blockFilters(tokens);
}

export function parseExpression(tokens: Tokens): JinjaExpression {
  let value = parseOr(tokens);
  while (tokens.skipName("if")) {
    const condition = parseOr(tokens);
    const otherwise = tokens.skipName("else") ? parseExpression(tokens) : null;
    value = { type: "conditional", condition, then: value, otherwise };
  }
  return value;
}

/** Parses an expression without a condition behind it. */
function parseOr(tokens: Tokens): JinjaExpression {
  let left = parseAnd(tokens);
  while (tokens.skipName("or")) left = { type: "or", left, right: parseAnd(tokens) };
  return left;
}

function parseAnd(tokens: Tokens): JinjaExpression {
  let left = parseNot(tokens);
  while (tokens.skipName("and")) left = { type: "and", left, right: parseNot(tokens) };
  return left;
}

function parseNot(tokens: Tokens): JinjaExpression {
  if (tokens.skipName("not")) return { type: "not", operand: parseNot(tokens) };
  return parseComparison(tokens);
}

function parseComparison(tokens: Tokens): JinjaExpression {
  const left = parseSum(tokens);
  const others: { readonly operator: Comparison; readonly right: JinjaExpression }[] = [];
  for (;;) {
    const operator = takeComparison(tokens);
    if (operator === null) break;
    others.push({ operator, right: parseSum(tokens) });
  }
  return others.length === 0 ? left : { type: "comparison", left, others };
}

function takeComparison(tokens: Tokens): Comparison | null {
  const { kind, value } = tokens.next;
  if (kind === "operator")
    switch (value) {
      case "==":
      case "!=":
      case "<":
      case "<=":
      case ">":
      case ">=":
        tokens.take();
        return value;
      default:
        return null;
    }
  if (tokens.skipName("in")) return "in";
  const { second } = tokens;
  if (!tokens.isName("not") || second.kind !== "name" || second.value !== "in") return null;
  tokens.take();
  tokens.take();
  return "not in";
}

function leftToRight(
  operators: readonly BinaryOperator[],
  parseOperand: (tokens: Tokens) => JinjaExpression,
): (tokens: Tokens) => JinjaExpression {
  return (tokens) => {
    let left = parseOperand(tokens);
    for (;;) {
      const operator = operators.find((candidate) => tokens.skip(candidate));
      if (operator === undefined) return left;
      left = { type: "binary", operator, left, right: parseOperand(tokens) };
    }
  };
}

const parsePower = leftToRight(["**"], (tokens) => parseSigned(tokens, true));
const parseProduct = leftToRight(["*", "/", "//", "%"], parsePower);
const parseConcatenation = leftToRight(["~"], parseProduct);
const parseSum = leftToRight(["+", "-"], parseConcatenation);

function parseSigned(tokens: Tokens, withFilters: boolean): JinjaExpression {
  const isNegative = tokens.skip("-");
  const value: JinjaExpression =
    isNegative || tokens.skip("+")
      ? { type: isNegative ? "negative" : "positive", operand: parseSigned(tokens, false) }
      : parsePrimary(tokens);
  const whole = postfix.postfixed(tokens, value);
  return withFilters ? postfix.filtered(tokens, whole) : whole;
}

function parsePrimary(tokens: Tokens): JinjaExpression {
  const { kind, value } = tokens.next;
  switch (kind) {
    case "name":
      tokens.take();
      return constants.has(value)
        ? { type: "literal", value: constants.get(value) ?? null }
        : { type: "name", name: value };
    case "string":
      return parseStrings(tokens);
    case "integer":
      tokens.take();
      return { type: "literal", value: Number(value) };
    case "float":
      tokens.take();
      return { type: "literal", value: new Float(Number(value)) };
    default:
  }
  if (tokens.skip("(")) {
    const inner = parseTuple(tokens, { isEnclosed: true });
    tokens.expect(")");
    return inner;
  }
  if (tokens.skip("[")) return { type: "list", items: parseItems(tokens, "]") };
  if (tokens.skip("{")) return parseDictionary(tokens);
  throw tokens.unexpected();
}

/** Texts in a row are one text. */
function parseStrings(tokens: Tokens): JinjaExpression {
  let value = "";
  while (tokens.next.kind === "string") value += tokens.take().value;
  return { type: "literal", value };
}

function parseItems(tokens: Tokens, end: string): readonly JinjaExpression[] {
  const items: JinjaExpression[] = [];
  while (!tokens.isOperator(end)) {
    if (items.length > 0) tokens.expect(",");
    if (tokens.isOperator(end)) break;
    items.push(parseExpression(tokens));
  }
  tokens.expect(end);
  return items;
}

function parseDictionary(tokens: Tokens): JinjaExpression {
  const entries: (readonly [JinjaExpression, JinjaExpression])[] = [];
  while (!tokens.isOperator("}")) {
    if (entries.length > 0) tokens.expect(",");
    if (tokens.isOperator("}")) break;
    const key = parseExpression(tokens);
    tokens.expect(":");
    entries.push([key, parseExpression(tokens)]);
  }
  tokens.expect("}");
  return { type: "dictionary", entries };
}

/**
 * Parses one expression, or several with commas between them, which are a tuple.
 * @param withoutCondition whether an `if` behind an item belongs to the statement around
 * @param end a name that ends the tuple
 */
export function parseTuple(
  tokens: Tokens,
  { isEnclosed = false, withoutCondition = false, end = "" } = {},
): JinjaExpression {
  const items: JinjaExpression[] = [];
  let isTuple = false;
  for (;;) {
    if (isTupleEnd(tokens, end)) break;
    items.push(withoutCondition ? parseOr(tokens) : parseExpression(tokens));
    if (!tokens.skip(",")) break;
    isTuple = true;
  }
  const [only] = items;
  if (!isTuple && only !== undefined) return only;
  if (only === undefined && !isEnclosed) throw tokens.unexpected("an expression");
  return { type: "tuple", items };
}

function isTupleEnd(tokens: Tokens, end: string): boolean {
  const { kind } = tokens.next;
  return (
    kind === "output-end" ||
    kind === "block-end" ||
    tokens.isOperator(")") ||
    (end !== "" && tokens.isName(end))
  );
}
