/** Reads a grammar that a client has written in GBNF, and refuses what llama.cpp cannot follow or what would cost too much. */
import { CannotFollow, readExpression, type Expression } from "./follow/expression.js";
import { GrammarStacks, type ReadyStacks } from "./follow/stacks.js";
import type { RuleSet } from "./gbnf.js";
import { SchemaRefusal } from "./schema/refusal.js";

const charactersMax = 100_000;
const rulesMax = 1_000;
/** Brackets inside of each other: llama.cpp reads them recursively. */
const depthMax = 100;
/** Iterations of all bounded repetitions together: llama.cpp writes each of them out. */
const iterationsMax = 5_000;

const lexeme =
  /\s+|#[^\n]*|"(?:\\.|[^"\\\n])*"|\[(?:\\.|[^\]\\])*\]|::=|[a-zA-Z][a-zA-Z0-9_-]*|[()|.*+?]|\{\d{1,9}(?:,\d{0,9})?\}/suy;
const isName = /^[a-zA-Z]/;

/**
 * Adds the rules of a grammar to a book.
 * @returns the name of its rule `root`. @throws SchemaRefusal with a sentence that says what is wrong
 */
export function addWrittenGrammar(text: string, book: RuleSet): string {
  if (text.length > charactersMax) throw refusal(`it has more than ${charactersMax} characters`);
  const lexemes = readLexemes(text);
  refuseDepth(lexemes);
  const written = separateRules(lexemes);
  if (written.size > rulesMax) throw refusal(`it has more than ${rulesMax} rules`);
  const names = new Map([...written.keys()].map((name) => [name, book.reserve()]));
  const expressions = new Map<string, Expression>();
  for (const [name, lexemes] of written) {
    const unknown = lexemes.find((each) => isName.test(each) && !names.has(each));
    if (unknown !== undefined) throw refusal(`the rule '${unknown}' is not defined`);
    const rightSide = lexemes.map((each) => names.get(each) ?? each).join(" ");
    expressions.set(names.get(name) ?? name, readRightSide(name, rightSide));
    book.define(names.get(name) ?? name, rightSide);
  }
  const root = names.get("root");
  if (root === undefined) throw refusal("it has no rule 'root'");
  refuseCosts([...expressions.values()]);
  refuseLeftRecursion(expressions, new Map([...names].map(([own, name]) => [name, own])));
  return root;
}

/** Stacks of one position, as many as the engine follows. */
const stacksMax = 6_000;

/**
 * Returns a function that says whether a text is what the rule describes; null: the grammar is too wide to be followed there.
 * @param root the name of the rule
 */
export function createMatcher(
  root: string,
  rules: ReadonlyMap<string, string>,
): (text: string) => boolean | null {
  const stacks = new GrammarStacks(root, (name) => rules.get(name), stacksMax);
  return (text) => {
    try {
      let place: ReadyStacks = stacks.atStart();
      for (const character of text) place = stacks.after(place, character.codePointAt(0) ?? 0);
      return place.includes(null);
    } catch (thrown) {
      if (thrown instanceof CannotFollow) return null;
      throw thrown;
    }
  };
}

function refusal(message: string): SchemaRefusal {
  return new SchemaRefusal(message, { keyword: null, pointer: "" });
}

/** Returns the lexemes without white space and comments. */
function readLexemes(text: string): readonly string[] {
  const lexemes: string[] = [];
  lexeme.lastIndex = 0;
  while (lexeme.lastIndex < text.length) {
    const at = lexeme.lastIndex;
    const [found] = lexeme.exec(text) ?? [];
    if (found === undefined) throw refusal(`'${text.slice(at, at + 20)}' is not understood`);
    if (!/^[\s#]/.test(found)) lexemes.push(found);
  }
  return lexemes;
}

/** Returns the right side of each rule: a name before `::=` begins one. */
function separateRules(lexemes: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const rules = new Map<string, string[]>();
  let open: string[] | null = null;
  for (const [at, each] of lexemes.entries()) {
    if (lexemes[at + 1] === "::=" && isName.test(each)) {
      if (rules.has(each)) throw refusal(`the rule '${each}' is defined twice`);
      open = [];
      rules.set(each, open);
    } else if (each !== "::=") {
      if (open === null) throw refusal("it must begin with a rule, such as root ::= ...");
      open.push(each);
    } else if (!isName.test(lexemes[at - 1] ?? "")) throw refusal("'::=' has no name before it");
  }
  return rules;
}

function refuseDepth(lexemes: readonly string[]): void {
  let depth = 0;
  for (const each of lexemes) {
    if (each === "(") depth += 1;
    if (each === ")") depth -= 1;
    if (depth > depthMax) throw refusal(`more than ${depthMax} brackets are inside of each other`);
  }
}

function readRightSide(name: string, rightSide: string): Expression {
  try {
    return readExpression(rightSide);
  } catch (thrown) {
    throw refusal(`the rule '${name}': ${thrown instanceof Error ? thrown.message : "it is not understood"}`);
  }
}

function refuseCosts(expressions: readonly Expression[]): void {
  let iterations = 0;
  const count = (expression: Expression): void => {
    if (expression.kind === "repeat") {
      const { min, max } = expression;
      if (max !== null && max < min) throw refusal(`a repetition is at least ${min} and at most ${max}`);
      iterations += Math.max(min, max ?? 0);
    }
    for (const part of listParts(expression)) count(part);
  };
  expressions.forEach(count);
  if (iterations > iterationsMax) throw refusal(`its repetitions have more than ${iterationsMax} iterations`);
}

function listParts(expression: Expression): readonly Expression[] {
  if (expression.kind === "sequence" || expression.kind === "choice") return expression.parts;
  return expression.kind === "repeat" ? [expression.part] : [];
}

/** A rule that can begin with itself, or a repetition of nothing, has no end for llama.cpp. */
function refuseLeftRecursion(
  rules: ReadonlyMap<string, Expression>,
  ownNames: ReadonlyMap<string, string>,
): void {
  const empty = findEmptyRules(rules);
  const firsts = new Map([...rules].map(([name, expression]) => [name, listFirsts(expression, empty)]));
  for (const name of rules.keys()) {
    const reached = new Set(firsts.get(name));
    for (const each of reached) for (const next of firsts.get(each) ?? []) reached.add(next);
    if (reached.has(name)) throw refusal(`the rule '${ownNames.get(name) ?? name}' begins with itself`);
  }
}

/** Returns the rules that can be the empty text. */
function findEmptyRules(rules: ReadonlyMap<string, Expression>): ReadonlySet<string> {
  const empty = new Set<string>();
  for (let before = -1; before < empty.size;) {
    before = empty.size;
    for (const [name, expression] of rules) if (isEmpty(expression, empty)) empty.add(name);
  }
  return empty;
}

function isEmpty(expression: Expression, rules: ReadonlySet<string>): boolean {
  switch (expression.kind) {
    case "text":
      return expression.points.length === 0;
    case "class":
      return false;
    case "rule":
      return rules.has(expression.name);
    case "sequence":
      return expression.parts.every((part) => isEmpty(part, rules));
    case "choice":
      return expression.parts.some((part) => isEmpty(part, rules));
    case "repeat":
      return expression.min === 0 || isEmpty(expression.part, rules);
  }
}

/** Returns the rules that an expression can begin with. */
function listFirsts(expression: Expression, empty: ReadonlySet<string>): readonly string[] {
  switch (expression.kind) {
    case "rule":
      return [expression.name];
    case "choice":
      return expression.parts.flatMap((part) => listFirsts(part, empty));
    case "sequence": {
      const solid = expression.parts.findIndex((part) => !isEmpty(part, empty));
      const beginning = solid < 0 ? expression.parts : expression.parts.slice(0, solid + 1);
      return beginning.flatMap((part) => listFirsts(part, empty));
    }
    case "repeat":
      if (expression.max === null && isEmpty(expression.part, empty))
        throw refusal("it repeats what can be the empty text without a limit");
      return listFirsts(expression.part, empty);
    default:
      return [];
  }
}
