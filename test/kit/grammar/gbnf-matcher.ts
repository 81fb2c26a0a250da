/**
 * A GBNF parser, matcher and sampler for tests, written independently of the code under test. The matcher
 * keeps a set of stacks as llama.cpp does. Left-recursive grammars are an error, as they are there.
 */
import { parseGbnf, type Expression, type Gbnf } from "./gbnf-parser.js";

export { parseGbnf, type Gbnf } from "./gbnf-parser.js";

const stacksMax = 200_000;

/** What remains to be matched: an expression and then the rest. Equal stacks are one object. */
interface Stack {
  readonly head: Expression;
  readonly rest: Stack | null;
}

/** Returns whether the grammar generates the whole text. */
export function matchesGrammar(grammar: Gbnf | string, text: string): boolean {
  return stacksAfter(grammar, text)?.has(null) ?? false;
}

/** Returns whether a text of the grammar begins like this. */
export function allowsBeginning(grammar: Gbnf | string, text: string): boolean {
  return stacksAfter(grammar, text) !== null;
}

/** Returns null where no text of the grammar begins like this. */
function stacksAfter(grammar: Gbnf | string, text: string): Set<Stack | null> | null {
  const { rules } = typeof grammar === "string" ? parseGbnf(grammar) : grammar;
  const start: Expression = { kind: "rule", name: "root" };
  const push = stackMaker();
  let stacks = expand([push(start, null)], rules, push);
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    const next: (Stack | null)[] = [];
    for (const stack of stacks)
      if (stack !== null && stack.head.kind === "class" && includes(stack.head, point)) next.push(stack.rest);
    if (next.length === 0) return null;
    stacks = expand(next, rules, push);
  }
  return stacks;
}

export interface SampleOptions {
  /** Numbers from 0 to below 1. */
  readonly random: () => number;
  /** From this number of characters on, the sampler takes the shortest way to the end; default 300. */
  readonly charactersMax?: number;
}

/** Returns a random text of the grammar. */
export function sampleText({ rules }: Gbnf, { random, charactersMax = 300 }: SampleOptions): string {
  const costs = ruleCosts(rules);
  const cost = (expression: Expression): number => costOf(expression, costs);
  const pick = (count: number): number => Math.min(count - 1, Math.floor(random() * count));
  const pending: Expression[] = [{ kind: "rule", name: "root" }];
  let text = "";
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const hurry = text.length > charactersMax;
    if (next.kind === "class") text += String.fromCodePoint(pointIn(next, pick));
    else if (next.kind === "rule") pending.push(ruleOf(rules, next.name));
    else if (next.kind === "sequence") pending.push(...[...next.parts].reverse());
    else if (next.kind === "choice") {
      const usable = next.parts.filter((part) => cost(part) < Infinity);
      const shortest = usable.reduce((best, part) => (cost(part) < cost(best) ? part : best));
      pending.push(hurry ? shortest : (usable[pick(usable.length)] ?? shortest));
    } else {
      const more = next.max === null ? 6 : Math.min(6, next.max - next.min);
      const count = next.min + (hurry || cost(next.part) === Infinity ? 0 : pick(more + 1));
      for (let nth = 0; nth < count; nth += 1) pending.push(next.part);
    }
  }
  return text;
}

/** Expands stacks until each begins with a character class; null marks the end. */
function expand(
  from: readonly (Stack | null)[],
  rules: Gbnf["rules"],
  push: (head: Expression, rest: Stack | null) => Stack,
): Set<Stack | null> {
  const seen = new Set(from);
  const ready = new Set<Stack | null>();
  for (const stack of seen) {
    if (seen.size > stacksMax) throw new Error("the grammar is left-recursive, or much too ambiguous");
    if (stack === null || stack.head.kind === "class") {
      ready.add(stack);
      continue;
    }
    const { head, rest } = stack;
    if (head.kind === "rule") seen.add(push(ruleOf(rules, head.name), rest));
    else if (head.kind === "choice") for (const part of head.parts) seen.add(push(part, rest));
    else if (head.kind === "sequence")
      seen.add(head.parts.reduceRight((after, part) => push(part, after), rest));
    else {
      if (head.min === 0) seen.add(rest);
      if (head.max !== 0) seen.add(push(head.part, push(oneFewer(head), rest)));
    }
  }
  return ready;
}

type Repeat = Extract<Expression, { kind: "repeat" }>;
const fewer = new WeakMap<Repeat, Repeat>();

/** Returns the repetition after one iteration, always the same object. */
function oneFewer(repeat: Repeat): Repeat {
  if (repeat.min === 0 && repeat.max === null) return repeat;
  const known = fewer.get(repeat);
  if (known !== undefined) return known;
  const max = repeat.max === null ? null : repeat.max - 1;
  const less: Repeat = { ...repeat, min: Math.max(0, repeat.min - 1), max };
  fewer.set(repeat, less);
  return less;
}

/** Creates stacks. The empty rest of a sequence adds no stack, so right recursion does not grow. */
function stackMaker(): (head: Expression, rest: Stack | null) => Stack {
  const atEnd = new Map<Expression, Stack>();
  const onStack = new WeakMap<Stack, Map<Expression, Stack>>();
  return (head, rest) => {
    const known = rest === null ? atEnd : (onStack.get(rest) ?? new Map<Expression, Stack>());
    if (rest !== null) onStack.set(rest, known);
    const stack = known.get(head) ?? { head, rest };
    known.set(head, stack);
    return stack;
  };
}

function ruleOf(rules: Gbnf["rules"], name: string): Expression {
  const rule = rules.get(name);
  if (rule === undefined) throw new Error(`the rule ${name} is not defined`);
  return rule;
}

type CharacterClass = Extract<Expression, { kind: "class" }>;

function includes({ ranges, negated }: CharacterClass, point: number): boolean {
  return ranges.some(([from, to]) => from <= point && point <= to) !== negated;
}

/** Returns the smallest number of characters and rules to the end of each rule; Infinity if it cannot end. */
function ruleCosts(rules: Gbnf["rules"]): ReadonlyMap<string, number> {
  const costs = new Map<string, number>();
  for (let changed = true; changed;) {
    changed = false;
    for (const [name, expression] of rules) {
      const cost = 1 + costOf(expression, costs);
      if (cost >= (costs.get(name) ?? Infinity)) continue;
      costs.set(name, cost);
      changed = true;
    }
  }
  return costs;
}

function costOf(expression: Expression, costs: ReadonlyMap<string, number>): number {
  if (expression.kind === "class") return 1;
  if (expression.kind === "rule") return costs.get(expression.name) ?? Infinity;
  if (expression.kind === "repeat")
    return expression.min === 0 ? 0 : expression.min * costOf(expression.part, costs);
  const parts = expression.parts.map((part) => costOf(part, costs));
  return expression.kind === "choice" ? Math.min(...parts) : parts.reduce((sum, cost) => sum + cost, 0);
}

/** Returns a code point of a class: any of a small range, or one of the first or last of a large range. */
function pointIn(characters: CharacterClass, pick: (count: number) => number): number {
  const ranges = characters.negated ? outside(characters.ranges) : characters.ranges;
  const [from, to] = ranges[pick(ranges.length)] ?? [0x20, 0x20];
  const size = to - from + 1;
  const point = size > 512 && pick(4) === 0 ? to - pick(64) : from + pick(Math.min(size, 256));
  return point >= 0xd800 && point <= 0xdfff ? from : point;
}

function outside(ranges: CharacterClass["ranges"]): CharacterClass["ranges"] {
  const gaps: (readonly [number, number])[] = [];
  let next = 0;
  for (const [from, to] of [...ranges].sort(([a], [b]) => a - b)) {
    if (from > next) gaps.push([next, from - 1]);
    next = Math.max(next, to + 1);
  }
  if (next <= 0xd7ff) gaps.push([next, 0xd7ff]);
  gaps.push([Math.max(next, 0xe000), 0x10ffff]);
  return gaps;
}
