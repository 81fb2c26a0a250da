/**
 * Regular expressions of JSON Schema (ECMA-262, unanchored, read by code points) as automata over whole texts. It parses them
 * with regexpp and knows their semantics; how an automaton is stored or written is not known here.
 */
import { type AST, RegExpParser } from "@eslint-community/regexpp";
import { anyTail, anywhere, looksAround, readAhead, type Reading } from "./lookaround.js";
import { determinise, Nfa } from "../nfa.js";
import { PatternNfa, someElement } from "./pattern-nfa.js";
import { union } from "../automaton.js";
import { everyCodePoint } from "../ranges.js";

/** Not a regular expression, or one that is not understood here. */
export class PatternError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "PatternError";
  }
}

/** Parsing recurses. */
const nestingMax = 200;
const parser = new RegExpParser({ ecmaVersion: 2025 });

/**
 * The texts in which the pattern matches somewhere; with `exact` false some more than those.
 * @throws PatternError, AutomatonTooLarge
 */
export function patternAutomaton(source: string): Reading {
  const pattern = parsed(source);
  try {
    return someElement(pattern, looksAround) ? lookingAround(pattern) : plain(pattern);
  } catch (error) {
    if (error instanceof RangeError) throw new PatternError(error.message);
    throw error;
  }
}

/** Whether a text is a regular expression at all, of ECMAScript's or of browsers' reading. */
export function isPattern(source: string): boolean {
  try {
    parsed(source);
    return true;
  } catch (error) {
    if (error instanceof PatternError || error instanceof RangeError) return false;
    throw error;
  }
}

/** With the flag u as the standard says, and else as browsers read what that flag forbids. */
function parsed(source: string): AST.Pattern {
  if (deepest(source) > nestingMax) throw new PatternError(`groups nest deeper than ${nestingMax}`);
  try {
    return parser.parsePattern(source, 0, source.length, { unicode: true });
  } catch (error) {
    // Without the flag a class of Unicode would be its own letters: valid, and never what is meant.
    if (/\\[pPu]\{/.test(source)) throw new PatternError(reason(error));
  }
  try {
    return parser.parsePattern(source, 0, source.length, { unicode: false });
  } catch (error) {
    throw new PatternError(reason(error));
  }
}

/** What regexpp says behind the pattern itself, which the client knows. */
function reason(error: unknown): string {
  return error instanceof Error ? (error.message.split("/: ").at(-1) ?? "") : "not a regular expression";
}

function deepest(source: string): number {
  let depth = 0;
  let max = 0;
  for (const character of source) {
    if (character === "(") max = Math.max(max, ++depth);
    else if (character === ")") depth--;
  }
  return max;
}

/** One automaton with choices: anything, an alternative, anything; without the loops where an anchor stands. */
function plain(pattern: AST.Pattern): Reading {
  const nfa = new Nfa();
  const compiled = new PatternNfa(nfa);
  const start = nfa.node();
  const end = nfa.node();
  const before = nfa.node();
  const after = nfa.node();
  nfa.step(before, everyCodePoint, before);
  nfa.step(after, everyCodePoint, after);
  nfa.jump(after, end);
  let skips = false;
  for (const { elements } of pattern.alternatives) {
    const anchored = isAnchor(elements[0], "start");
    const closed = isAnchor(elements.at(-1), "end") && elements.length > (anchored ? 1 : 0);
    const inner = elements.slice(anchored ? 1 : 0, closed ? -1 : undefined);
    skips ||= !anchored;
    nfa.jump(compiled.sequence(inner, anchored ? start : before), closed ? end : after);
  }
  if (skips) nfa.jump(start, before);
  return { automaton: determinise(nfa, start, end, after), exact: compiled.exact };
}

function isAnchor(element: AST.Element | undefined, kind: "start" | "end"): boolean {
  return element?.type === "Assertion" && element.kind === kind;
}

/** Each alternative from where it may begin: at the start of the text, or anywhere. */
function lookingAround(pattern: AST.Pattern): Reading {
  return pattern.alternatives
    .map((alternative) => {
      if (startsAtStart(alternative)) return readAhead([alternative], anyTail, true);
      const anyPlace = anywhere(readAhead([alternative], anyTail, false));
      return anyPlace;
    })
    .reduce((a, b) => ({ automaton: union(a.automaton, b.automaton), exact: a.exact && b.exact }));
}

/** Whether an anchor stands before anything is read. */
function startsAtStart({ elements }: AST.Alternative): boolean {
  for (const element of elements) {
    if (element.type !== "Assertion") return false;
    if (element.kind === "start") return true;
  }
  return false;
}
