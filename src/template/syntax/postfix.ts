/** Parses what stands behind a value: attributes, items, calls, filters and tests. */
import type {
  CallArguments,
  CallExpression,
  JinjaExpression,
  FilterExpression,
  SliceExpression,
} from "./nodes.js";
import type { Tokens } from "./tokens.js";

type Parse = (tokens: Tokens) => JinjaExpression;

const none: CallArguments = { positional: [], named: [], items: null, mapping: null };

export class PostfixParser {
  /** @param parsePrimary parses a value without anything behind it */
  constructor(
    private readonly parseExpression: Parse,
    private readonly parsePrimary: Parse,
  ) {}

  /** Parses attributes, items and calls behind a value. */
  postfixed(tokens: Tokens, value: JinjaExpression): JinjaExpression {
    let whole = value;
    for (;;) {
      if (tokens.skip(".")) whole = parseAttribute(tokens, whole);
      else if (tokens.skip("[")) whole = { type: "item", object: whole, key: this.#subscript(tokens) };
      else if (tokens.isOperator("(")) whole = this.#call(tokens, whole);
      else return whole;
    }
  }

  /** Parses filters, tests and calls behind a value. */
  filtered(tokens: Tokens, value: JinjaExpression): JinjaExpression {
    let whole = value;
    for (;;) {
      if (tokens.skip("|")) whole = this.#filter(tokens, whole);
      else if (tokens.skipName("is")) whole = this.#test(tokens, whole);
      else if (tokens.isOperator("(")) whole = this.#call(tokens, whole);
      else return whole;
    }
  }

  /** Parses the filters of a block, of which each applies to the one before. */
  blockFilters(tokens: Tokens): FilterExpression {
    let filter = this.#filter(tokens, null);
    while (tokens.skip("|")) filter = this.#filter(tokens, filter);
    return filter;
  }

  /** Parses what is between square brackets; several of them are a tuple. */
  #subscript(tokens: Tokens): JinjaExpression | SliceExpression {
    const first = this.#index(tokens);
    if (tokens.skip("]")) return first;
    const items = [first];
    while (tokens.skip(",")) items.push(this.#index(tokens));
    tokens.expect("]");
    const keys = items.filter((item): item is JinjaExpression => item.type !== "slice");
    if (keys.length !== items.length) throw tokens.unexpected("one slice");
    return { type: "tuple", items: keys };
  }

  #index(tokens: Tokens): JinjaExpression | SliceExpression {
    const part = (): JinjaExpression | null =>
      tokens.isOperator(":", "]", ",") ? null : this.parseExpression(tokens);
    const start = part();
    if (!tokens.skip(":")) {
      if (start === null) throw tokens.unexpected("an expression");
      return start;
    }
    const stop = part();
    return { type: "slice", start, stop, step: tokens.skip(":") ? part() : null };
  }

  #call(tokens: Tokens, callee: JinjaExpression): CallExpression {
    return { type: "call", callee, args: this.#arguments(tokens) };
  }

  #arguments(tokens: Tokens): CallArguments {
    tokens.expect("(");
    const positional: JinjaExpression[] = [];
    const named: (readonly [string, JinjaExpression])[] = [];
    let items: JinjaExpression | null = null;
    let mapping: JinjaExpression | null = null;
    for (let isFirst = true; !tokens.isOperator(")"); isFirst = false) {
      if (!isFirst) tokens.expect(",");
      if (tokens.isOperator(")")) break;
      if (mapping !== null) throw tokens.unexpected("')'");
      if (tokens.skip("**")) mapping = this.parseExpression(tokens);
      else if (items === null && tokens.skip("*")) items = this.parseExpression(tokens);
      else if (isKeyword(tokens)) {
        const name = tokens.expectName();
        tokens.expect("=");
        named.push([name, this.parseExpression(tokens)]);
      } else {
        if (named.length > 0 || items !== null) throw tokens.unexpected("a keyword argument");
        positional.push(this.parseExpression(tokens));
      }
    }
    tokens.expect(")");
    return { positional, named, items, mapping };
  }

  #filter(tokens: Tokens, operand: JinjaExpression | null): FilterExpression {
    const name = parseDottedName(tokens);
    return { type: "filter", operand, name, args: tokens.isOperator("(") ? this.#arguments(tokens) : none };
  }

  #test(tokens: Tokens, operand: JinjaExpression): JinjaExpression {
    const isNegated = tokens.skipName("not");
    const name = parseDottedName(tokens);
    const test: JinjaExpression = { type: "test", operand, name, args: this.#testArguments(tokens) };
    return isNegated ? { type: "not", operand: test } : test;
  }

  /** The argument of a test may stand without brackets. */
  #testArguments(tokens: Tokens): CallArguments {
    if (tokens.isOperator("(")) return this.#arguments(tokens);
    const isValue =
      ["name", "string", "integer", "float"].includes(tokens.next.kind) || tokens.isOperator("[", "{");
    if (!isValue || tokens.isName("else", "or", "and")) return none;
    if (tokens.isName("is")) throw tokens.unexpected("one test");
    return { ...none, positional: [this.postfixed(tokens, this.parsePrimary(tokens))] };
  }
}

function isKeyword({ next, second }: Tokens): boolean {
  return next.kind === "name" && second.kind === "operator" && second.value === "=";
}

function parseAttribute(tokens: Tokens, object: JinjaExpression): JinjaExpression {
  const { kind, value } = tokens.next;
  if (kind !== "integer") return { type: "attribute", object, name: tokens.expectName() };
  tokens.take();
  return { type: "item", object, key: { type: "literal", value: Number(value) } };
}

function parseDottedName(tokens: Tokens): string {
  let name = tokens.expectName();
  while (tokens.skip(".")) name += `.${tokens.expectName()}`;
  return name;
}
