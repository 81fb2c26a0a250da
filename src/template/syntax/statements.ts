/** Parses the statements of a template. */
import { TemplateError } from "../values/values.js";
import { parseBlockFilters, parseExpression, parseTuple } from "./expressions.js";
import { splitTokens } from "./lexer.js";
import type { JinjaExpression, MacroParameter, JinjaStatement, Target } from "./nodes.js";
import { Tokens } from "./tokens.js";

/** @throws TemplateError when the source is not valid Jinja */
export function parseTemplate(source: string): readonly JinjaStatement[] {
  const tokens = new Tokens(splitTokens(source));
  const statements = parseUntil(tokens, []);
  if (tokens.next.kind !== "end") throw tokens.unexpected();
  return statements;
}

/** Parses up to a block that begins with one of these names, and leaves the name next. */
function parseUntil(tokens: Tokens, names: readonly string[]): readonly JinjaStatement[] {
  const statements: JinjaStatement[] = [];
  for (;;) {
    const { kind, value } = tokens.next;
    if (kind === "end") {
      if (names.length === 0) return statements;
      throw tokens.unexpected(names.map((name) => `'${name}'`).join(" or "));
    }
    tokens.take();
    if (kind === "text") statements.push({ type: "text", text: value });
    else if (kind === "output-begin") {
      statements.push({ type: "output", value: parseTuple(tokens) });
      if (tokens.next.kind !== "output-end") throw tokens.unexpected("end of print statement");
      tokens.take();
    } else {
      if (tokens.isName(...names)) return statements;
      statements.push(parseStatement(tokens));
      tokens.expectBlockEnd();
    }
  }
}

/** Parses the body of a block, behind what stands in its first tag, and the name that ends it. */
function parseBody(tokens: Tokens, end: string): readonly JinjaStatement[] {
  tokens.expectBlockEnd();
  const body = parseUntil(tokens, [end]);
  tokens.take();
  return body;
}

function parseStatement(tokens: Tokens): JinjaStatement {
  const name = tokens.expectName();
  switch (name) {
    case "if":
      return parseIf(tokens);
    case "for":
      return parseFor(tokens);
    case "set":
      return parseSet(tokens);
    case "macro":
      return {
        type: "macro",
        name: tokens.expectName(),
        parameters: parseParameters(tokens),
        body: parseBody(tokens, "endmacro"),
      };
    case "call":
      return parseCallBlock(tokens);
    case "filter":
      return {
        type: "filter-block",
        filter: parseBlockFilters(tokens),
        body: parseBody(tokens, "endfilter"),
      };
    case "with":
      return parseWith(tokens);
    case "generation":
      return { type: "with", values: [], body: parseBody(tokens, "endgeneration") };
    case "block":
      return parseBlock(tokens);
    case "break":
    case "continue":
      return { type: name };
    default:
      throw new TemplateError(`Encountered unknown tag '${name}'.`);
  }
}

function parseIf(tokens: Tokens): JinjaStatement {
  const branches: (readonly [JinjaExpression, readonly JinjaStatement[]])[] = [];
  let otherwise: readonly JinjaStatement[] = [];
  for (;;) {
    const condition = parseTuple(tokens, { withoutCondition: true });
    tokens.expectBlockEnd();
    branches.push([condition, parseUntil(tokens, ["elif", "else", "endif"])]);
    const end = tokens.take().value;
    if (end === "elif") continue;
    if (end === "else") otherwise = parseBody(tokens, "endif");
    return { type: "if", branches, otherwise };
  }
}

function parseFor(tokens: Tokens): JinjaStatement {
  const target = parseTarget(tokens);
  tokens.expectName("in");
  const items = parseTuple(tokens, { withoutCondition: true, end: "recursive" });
  const condition = tokens.skipName("if") ? parseExpression(tokens) : null;
  const isRecursive = tokens.skipName("recursive");
  tokens.expectBlockEnd();
  const body = parseUntil(tokens, ["endfor", "else"]);
  const otherwise = tokens.take().value === "else" ? parseBody(tokens, "endfor") : [];
  return { type: "for", target, items, condition, isRecursive, body, otherwise };
}

function parseTarget(tokens: Tokens): Target {
  const targets: Target[] = [];
  let isTuple = false;
  do {
    if (tokens.isOperator("=") || tokens.isName("in")) break;
    targets.push(parseOneTarget(tokens));
    isTuple ||= tokens.isOperator(",");
  } while (tokens.skip(","));
  const [only] = targets;
  if (only === undefined) throw tokens.unexpected("a name");
  return isTuple ? { type: "targets", targets } : only;
}

function parseOneTarget(tokens: Tokens): Target {
  if (tokens.skip("(")) {
    const inner = parseTarget(tokens);
    tokens.expect(")");
    return inner;
  }
  const name = tokens.expectName();
  if (!tokens.skip(".")) return { type: "name", name };
  return { type: "namespace", name, attribute: tokens.expectName() };
}

function parseSet(tokens: Tokens): JinjaStatement {
  const target = parseTarget(tokens);
  if (tokens.skip("=")) return { type: "set", target, value: parseTuple(tokens) };
  const filter = tokens.skip("|") ? parseBlockFilters(tokens) : null;
  return { type: "set-block", target, filter, body: parseBody(tokens, "endset") };
}

function parseParameters(tokens: Tokens): readonly MacroParameter[] {
  const parameters: MacroParameter[] = [];
  tokens.expect("(");
  while (!tokens.isOperator(")")) {
    if (parameters.length > 0) tokens.expect(",");
    if (tokens.isOperator(")")) break;
    const name = tokens.expectName();
    const otherwise = tokens.skip("=") ? parseExpression(tokens) : null;
    if (otherwise === null && parameters.at(-1)?.otherwise != null)
      throw new TemplateError("non-default argument follows default argument");
    parameters.push({ name, otherwise });
  }
  tokens.expect(")");
  return parameters;
}

function parseCallBlock(tokens: Tokens): JinjaStatement {
  const parameters = tokens.isOperator("(") ? parseParameters(tokens) : [];
  const call = parseExpression(tokens);
  if (call.type !== "call") throw tokens.unexpected("a call");
  return { type: "call-block", call, parameters, body: parseBody(tokens, "endcall") };
}

function parseWith(tokens: Tokens): JinjaStatement {
  const values: (readonly [Target, JinjaExpression])[] = [];
  while (tokens.next.kind !== "block-end") {
    if (values.length > 0) tokens.expect(",");
    const target = parseOneTarget(tokens);
    tokens.expect("=");
    values.push([target, parseExpression(tokens)]);
  }
  return { type: "with", values, body: parseBody(tokens, "endwith") };
}

/** A block is its body: no template extends another one. */
function parseBlock(tokens: Tokens): JinjaStatement {
  const name = tokens.expectName();
  while (tokens.skipName("scoped") || tokens.skipName("required"));
  const body = parseBody(tokens, "endblock");
  tokens.skipName(name);
  return { type: "with", values: [], body };
}
