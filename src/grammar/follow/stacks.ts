/**
 * The positions in a grammar: stacks of what remains to be matched, as in llama.cpp. Equal stacks are one object, so that what may
 * follow a stack is computed once for all answers with the same grammar.
 */
import { marksUniqueItems } from "../gbnf.js";
import { CannotFollow, TooWide, readExpression, type Expression } from "./expression.js";

/** What remains to be matched: an expression, then the rest. null in place of a stack is the end of the text. */
export interface Stack {
  readonly head: Expression;
  readonly rest: Stack | null;
}

interface KnownStack extends Stack {
  /** Stacks on top of this one, by their head. */
  readonly above: Map<Expression, KnownStack>;
  /** Null where there are too many. */
  ready: ReadyStacks | null | undefined;
}

/** Stacks that begin with a terminal; null is the end of the text. */
export type ReadyStacks = readonly (Stack | null)[];

export const whiteSpace: ReadonlySet<number> = new Set(
  [..." \t\n\r"].map((character) => character.codePointAt(0) ?? 0),
);

/** Stacks of one position. Grammars with wider choices are not followed there. */
const stacksAtOnceMax = 1_000;
/** Steps of expanding one stack, for each of those. */
const stepsPerStack = 5;
/** Stacks that are kept for one grammar, and those with which it is followed no further. */
const stacksKeptMax = 100_000;
const stacksFollowedMax = 400_000;

export class GrammarStacks {
  readonly #rightSide: (name: string) => string | undefined;
  readonly #rules = new Map<string, Expression>();
  readonly #atEnd = new Map<Expression, KnownStack>();
  readonly #fewer = new Map<Expression, Expression>();
  readonly #suffixes = new Map<Expression, Expression>();
  /** The expressions of the rules that mark an array whose items differ. */
  readonly #marks = new Set<Expression>();
  readonly #root: Expression;
  readonly #stacksMax: number;
  #kept = 0;

  /**
   * @param root the name of the rule of the whole text
   * @param rightSide returns the right-hand side of a rule by its name
   * @param stacksMax the stacks that a position may have
   */
  constructor(
    root: string,
    rightSide: (name: string) => string | undefined,
    stacksMax: number = stacksAtOnceMax,
  ) {
    this.#rightSide = rightSide;
    this.#stacksMax = stacksMax;
    this.#root = { kind: "rule", name: root };
  }

  /** Whether so many stacks are kept that the grammar should be read anew for the next answer. */
  get isFull(): boolean {
    return this.#kept > stacksKeptMax;
  }

  /** Returns the stacks at the beginning of the text. @throws CannotFollow; TooWide where there are too many */
  atStart(): ReadyStacks {
    return this.#findReady(this.#push(this.#root, null));
  }

  /** Returns the stacks after one more character; none where it does not match. @throws CannotFollow; TooWide where there are too many */
  after(stacks: ReadyStacks, point: number): ReadyStacks {
    let first: ReadyStacks | null = null;
    let all: Set<Stack | null> | null = null;
    for (const stack of stacks) {
      if (stack === null || !matches(stack.head, point)) continue;
      const next = this.#findReady(this.#pop(stack));
      if (first === null) first = next;
      else if (next !== first) {
        all ??= new Set(first);
        for (const each of next) all.add(each);
        if (all.size > this.#stacksMax) throw new TooWide();
      }
    }
    return all === null ? (first ?? []) : [...all];
  }

  /** Returns whether this character begins an array whose items differ, in all ways to read it. */
  beginsUniqueItems(stacks: ReadyStacks, point: number): boolean {
    if (this.#marks.size === 0) return false;
    let begins = false;
    for (const stack of stacks) {
      if (stack === null || !matches(stack.head, point)) continue;
      if (!this.#marks.has(stack.head)) return false;
      begins = true;
    }
    return begins;
  }

  /** Returns what remains after the first character. */
  #pop({ head, rest }: Stack): KnownStack | null {
    if (head.kind !== "text" || head.points.length === 1) return rest as KnownStack | null;
    let suffix = this.#suffixes.get(head);
    if (suffix === undefined) {
      suffix = { kind: "text", points: head.points.slice(1) };
      this.#suffixes.set(head, suffix);
    }
    return this.#push(suffix, rest as KnownStack | null);
  }

  #findReady(stack: KnownStack | null): ReadyStacks {
    if (stack === null) return [null];
    if (stack.ready === undefined) stack.ready = this.#expand(stack);
    if (stack.ready === null) throw new TooWide();
    return stack.ready;
  }

  #expand(from: KnownStack): ReadyStacks | null {
    const seen = new Set<KnownStack | null>([from]);
    const ready: (Stack | null)[] = [];
    for (const stack of seen) {
      if (seen.size > this.#stacksMax * stepsPerStack) return null;
      if (stack === null || isTerminal(stack.head)) ready.push(stack);
      else for (const next of this.#derive(stack)) seen.add(next);
    }
    return ready.length > this.#stacksMax ? null : ready;
  }

  #derive(stack: KnownStack): readonly (KnownStack | null)[] {
    const { head } = stack;
    const rest = stack.rest as KnownStack | null;
    switch (head.kind) {
      case "text":
        return [rest];
      case "class":
        return [stack];
      case "rule":
        return [this.#push(this.#findRule(head.name), rest)];
      case "choice":
        return head.parts.map((part) => this.#push(part, rest));
      case "sequence":
        return [head.parts.reduceRight((after: KnownStack | null, part) => this.#push(part, after), rest)];
      case "repeat": {
        const more = head.max === 0 ? [] : [this.#push(head.part, this.#push(this.#oneFewer(head), rest))];
        return head.min === 0 ? [...more, rest] : more;
      }
    }
  }

  #push(head: Expression, rest: KnownStack | null): KnownStack {
    const known = rest === null ? this.#atEnd : rest.above;
    const found = known.get(head);
    if (found !== undefined) return found;
    if (this.#kept >= stacksFollowedMax) throw new CannotFollow("too many stacks are kept");
    this.#kept += 1;
    const stack: KnownStack = { head, rest, above: new Map(), ready: undefined };
    known.set(head, stack);
    return stack;
  }

  /** Returns the repetition after one iteration, always the same object. */
  #oneFewer(repeat: Extract<Expression, { kind: "repeat" }>): Expression {
    const { part, min, max } = repeat;
    if (min === 0 && max === null) return repeat;
    let fewer = this.#fewer.get(repeat);
    if (fewer === undefined) {
      fewer = { kind: "repeat", part, min: Math.max(0, min - 1), max: max === null ? null : max - 1 };
      this.#fewer.set(repeat, fewer);
    }
    return fewer;
  }

  #findRule(name: string): Expression {
    let expression = this.#rules.get(name);
    if (expression === undefined) {
      const rightSide = this.#rightSide(name);
      if (rightSide === undefined) throw new CannotFollow(`the rule ${name} is not defined`);
      expression = readExpression(rightSide);
      if (marksUniqueItems(name)) this.#marks.add(expression);
      this.#rules.set(name, expression);
    }
    return expression;
  }
}

function isTerminal(head: Expression): boolean {
  return head.kind === "class" || (head.kind === "text" && head.points.length > 0);
}

function matches(head: Expression, point: number): boolean {
  if (head.kind === "text") return head.points[0] === point;
  if (head.kind !== "class") return false;
  const { ranges, negated } = head;
  for (let at = 0; at < ranges.length; at += 2)
    if ((ranges[at] ?? 0) <= point && point <= (ranges[at + 1] ?? -1)) return !negated;
  return negated;
}

/** Returns whether the next character is white space. */
export function isSpace(stack: Stack | null): boolean {
  if (stack === null) return false;
  const { head } = stack;
  if (head.kind === "text") return whiteSpace.has(head.points[0] ?? -1);
  if (head.kind !== "class" || head.negated) return false;
  return head.ranges.every((point) => whiteSpace.has(point));
}
