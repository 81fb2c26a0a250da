import type { AST } from "@eslint-community/regexpp";
import {
  type Automaton,
  difference,
  everyString,
  intersect,
  noString,
  automatonOfTexts,
  union,
} from "../automaton.js";
import { determinise, Nfa } from "../nfa.js";
import { PatternNfa, hasElement } from "./pattern-nfa.js";
import { everyCodePoint } from "../ranges.js";

/** The language of a pattern. With `exact` false it is a superset. */
export interface PatternLanguage {
  readonly automaton: Automaton;
  readonly exact: boolean;
}

/** Up to this number of copies of an element with lookaround are unrolled. */
const unrolledMax = 8;
const emptyText = automatonOfTexts([""]);

/** Returns whether an element of a regular expression is a lookahead or lookbehind. */
export function isLookaround(element: AST.Element): boolean {
  return element.type === "Assertion" && (element.kind === "lookahead" || element.kind === "lookbehind");
}

/**
 * Returns the texts that consist of a match of the alternatives and a text of `tail`. Elements are processed
 * from right to left, so a lookahead is an intersection with the language of everything after it. Lookaheads
 * inside repetitions and all lookbehinds are ignored, and the result is then not exact.
 * @param atStart whether the match begins at the start of the text
 * @throws AutomatonTooLarge
 */
export function parseAlternatives(
  alternatives: readonly AST.Alternative[],
  tail: PatternLanguage,
  atStart: boolean,
): PatternLanguage {
  return alternatives
    .map(({ elements }) => parseSequence(elements, tail, atStart))
    .reduce((a, b) => ({ automaton: union(a.automaton, b.automaton), exact: a.exact && b.exact }), {
      automaton: noString,
      exact: true,
    });
}

function parseSequence(
  elements: readonly AST.Element[],
  tail: PatternLanguage,
  atStart: boolean,
): PatternLanguage {
  let rest = tail;
  let plain: AST.Element[] = [];
  for (const [index, element] of [...elements.entries()].reverse()) {
    if (isPlain(element)) {
      plain.unshift(element);
      continue;
    }
    rest = parsePlain(plain, rest);
    plain = [];
    rest = parseSpecial(element, rest, atStart && elements.slice(0, index).every(isZeroWidth));
  }
  return parsePlain(plain, rest);
}

/** Returns whether an element matches the same texts at every position. */
function isPlain(element: AST.Element): boolean {
  if (element.type === "Assertion") return false;
  if (element.type === "Quantifier") return element.max > unrolledMax || isPlain(element.element);
  return !("alternatives" in element && hasElement(element, (part) => part.type === "Assertion"));
}

function isZeroWidth(element: AST.Element): boolean {
  return element.type === "Assertion";
}

function parsePlain(elements: readonly AST.Element[], tail: PatternLanguage): PatternLanguage {
  if (elements.length === 0) return tail;
  const nfa = new Nfa();
  const compiled = new PatternNfa(nfa);
  const start = nfa.addNode();
  const end = nfa.addNode();
  nfa.addEpsilon(compiled.sequence(elements, start), nfa.embed(tail.automaton, end));
  // A repetition may contain a guard that sees the borders of this part instead of the borders of the text.
  const exact = tail.exact && compiled.exact && !nfa.guarded;
  return { automaton: determinise(withoutGuards(nfa), start, end), exact };
}

/**
 * Replaces every guard with a plain epsilon transition. The result is a superset and independent of the
 * position.
 */
function withoutGuards(nfa: Nfa): Nfa {
  if (!nfa.guarded) return nfa;
  for (const jumps of nfa.epsilons) jumps.forEach((jump, i) => (jumps[i] = { guard: null, to: jump.to }));
  nfa.guarded = false;
  nfa.wordGuarded = false;
  return nfa;
}

function parseSpecial(element: AST.Element, rest: PatternLanguage, atStart: boolean): PatternLanguage {
  if (element.type === "Group" || element.type === "CapturingGroup") {
    return parseAlternatives(element.alternatives, rest, atStart);
  }
  if (element.type === "Quantifier") return parseQuantifier(element, rest, atStart);
  if (element.type !== "Assertion") return { automaton: rest.automaton, exact: false };
  switch (element.kind) {
    case "start":
      return atStart ? rest : { automaton: rest.automaton, exact: false };
    case "end":
      return { automaton: intersect(rest.automaton, emptyText), exact: rest.exact };
    case "lookahead":
      return parseLookahead(element, rest, atStart);
    default:
      return { automaton: rest.automaton, exact: false };
  }
}

/** Unrolls a quantifier from the last copy to the first. From `min` copies on, the rest may follow. */
function parseQuantifier(
  { element, min, max }: AST.Quantifier,
  rest: PatternLanguage,
  atStart: boolean,
): PatternLanguage {
  let language = rest;
  for (let copies = 1; copies <= max; copies++) {
    const one = parseSequence([element], language, atStart && max === 1);
    const mayEnd = copies <= max - min;
    language = mayEnd ? { automaton: union(one.automaton, rest.automaton), exact: one.exact } : one;
  }
  return language;
}

function parseLookahead(
  element: AST.LookaheadAssertion,
  rest: PatternLanguage,
  atStart: boolean,
): PatternLanguage {
  const lookahead = parseAlternatives(element.alternatives, { automaton: everyString, exact: true }, atStart);
  if (!element.negate) {
    return {
      automaton: intersect(rest.automaton, lookahead.automaton),
      exact: rest.exact && lookahead.exact,
    };
  }
  // Excluding a superset of the forbidden texts would exclude too much.
  if (!lookahead.exact) return { automaton: rest.automaton, exact: false };
  return { automaton: difference(rest.automaton, lookahead.automaton), exact: rest.exact };
}

/** All texts, as the tail of an unanchored pattern. */
export const anyText: PatternLanguage = { automaton: everyString, exact: true };

/** Returns the texts with a suffix in the language. @throws AutomatonTooLarge */
export function anywhere(language: PatternLanguage): PatternLanguage {
  const nfa = new Nfa();
  const loop = nfa.addNode();
  const end = nfa.addNode();
  nfa.addTransition(loop, everyCodePoint, loop);
  nfa.addEpsilon(loop, nfa.embed(language.automaton, end));
  return { automaton: determinise(nfa, loop, end), exact: language.exact };
}
