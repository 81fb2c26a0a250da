/**
 * Compiles the regular expressions of JSON Schema (ECMA-262, unanchored, matched by code points) to automata
 * over whole texts. regexpp parses them.
 */
import { type AST, RegExpParser } from "@eslint-community/regexpp";
import { anyText, anywhere, isLookaround, parseAlternatives, type PatternLanguage } from "./lookaround.js";
import { determinise, Nfa } from "../nfa.js";
import { PatternNfa, hasElement } from "./pattern-nfa.js";
import { union } from "../automaton.js";
import { everyCodePoint } from "../ranges.js";

/** Thrown for a text that is not a regular expression, or not a supported one. */
export class PatternError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "PatternError";
  }
}

/** The nesting depth of groups, because parsing is recursive. */
const nestingMax = 200;
const parser = new RegExpParser({ ecmaVersion: 2025 });

/**
 * Returns the texts that contain a match of the pattern. With `exact` false the automaton accepts a superset.
 * @throws PatternError, AutomatonTooLarge
 */
export function patternAutomaton(source: string): PatternLanguage {
  const pattern = parsed(source);
  try {
    return hasElement(pattern, isLookaround) ? withLookaround(pattern) : withoutLookaround(pattern);
  } catch (error) {
    if (error instanceof RangeError) throw new PatternError(error.message);
    throw error;
  }
}

/**
 * Returns whether a text is a regular expression, in the strict syntax of ECMAScript or the lenient one of
 * browsers.
 */
export function isRegularExpression(source: string): boolean {
  try {
    parsed(source);
    return true;
  } catch (error) {
    if (error instanceof PatternError || error instanceof RangeError) return false;
    throw error;
  }
}

/** Parses with the flag u, as the standard requires, and otherwise with the lenient syntax of browsers. */
function parsed(source: string): AST.Pattern {
  if (groupDepth(source) > nestingMax) throw new PatternError(`groups nest deeper than ${nestingMax}`);
  try {
    return parser.parsePattern(source, 0, source.length, { unicode: true });
  } catch (error) {
    // Without the flag, `\p{L}` would match its own letters, which is valid but never intended.
    if (/\\[pPu]\{/.test(source)) throw new PatternError(reason(error));
  }
  try {
    return parser.parsePattern(source, 0, source.length, { unicode: false });
  } catch (error) {
    throw new PatternError(reason(error));
  }
}

/** Returns the reason in regexpp's message, without the pattern itself. */
function reason(error: unknown): string {
  return error instanceof Error ? (error.message.split("/: ").at(-1) ?? "") : "not a regular expression";
}

function groupDepth(source: string): number {
  let depth = 0;
  let max = 0;
  for (const character of source) {
    if (character === "(") max = Math.max(max, ++depth);
    else if (character === ")") depth--;
  }
  return max;
}

/** Builds one NFA: any text, an alternative, any text; the loops are omitted at anchors. */
function withoutLookaround(pattern: AST.Pattern): PatternLanguage {
  const nfa = new Nfa();
  const compiled = new PatternNfa(nfa);
  const start = nfa.addNode();
  const end = nfa.addNode();
  const before = nfa.addNode();
  const after = nfa.addNode();
  nfa.addTransition(before, everyCodePoint, before);
  nfa.addTransition(after, everyCodePoint, after);
  nfa.addEpsilon(after, end);
  let skips = false;
  for (const { elements } of pattern.alternatives) {
    const anchored = isAnchor(elements[0], "start");
    const closed = isAnchor(elements.at(-1), "end") && elements.length > (anchored ? 1 : 0);
    const inner = elements.slice(anchored ? 1 : 0, closed ? -1 : undefined);
    skips ||= !anchored;
    nfa.addEpsilon(compiled.sequence(inner, anchored ? start : before), closed ? end : after);
  }
  if (skips) nfa.addEpsilon(start, before);
  return { automaton: determinise(nfa, start, end, after), exact: compiled.exact };
}

function isAnchor(element: AST.Element | undefined, kind: "start" | "end"): boolean {
  return element?.type === "Assertion" && element.kind === kind;
}

/** Compiles each alternative at the start of the text or, unanchored, at any position. */
function withLookaround(pattern: AST.Pattern): PatternLanguage {
  return pattern.alternatives
    .map((alternative) => {
      if (startsAtStart(alternative)) return parseAlternatives([alternative], anyText, true);
      const anyPlace = anywhere(parseAlternatives([alternative], anyText, false));
      return anyPlace;
    })
    .reduce((a, b) => ({ automaton: union(a.automaton, b.automaton), exact: a.exact && b.exact }));
}

/** Returns whether an alternative begins with a start anchor. */
function startsAtStart({ elements }: AST.Alternative): boolean {
  for (const element of elements) {
    if (element.type !== "Assertion") return false;
    if (element.kind === "start") return true;
  }
  return false;
}
