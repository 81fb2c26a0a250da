import { type AST } from "@eslint-community/regexpp";
import { type Automaton, difference, everyString, intersect, noString, texts, union } from "../automaton.js";
import { determinise, Nfa } from "../nfa.js";
import { PatternNfa, someElement } from "./pattern-nfa.js";
import { everyCodePoint } from "../ranges.js";

/** A language, and whether it is what was asked for or more than that. */
export interface Reading {
  readonly automaton: Automaton;
  readonly exact: boolean;
}

/** So many copies of what looks around are read one by one. */
const unrolledMax = 8;
const emptyText = texts([""]);

/** Whether a part of a regular expression looks ahead or behind. */
export function looksAround(element: AST.Element): boolean {
  return element.type === "Assertion" && (element.kind === "lookahead" || element.kind === "lookbehind");
}

/**
 * The texts that the alternatives read a beginning of, with a rest in `tail`. Read from the right: what a lookahead asks is
 * asked of all that follows it. In repetitions, and for lookbehinds, nothing is asked, and the reading is not exact.
 * @param atStart whether nothing stands before @throws AutomatonTooLarge
 */
export function readAhead(
  alternatives: readonly AST.Alternative[],
  tail: Reading,
  atStart: boolean,
): Reading {
  return alternatives
    .map(({ elements }) => readSequence(elements, tail, atStart))
    .reduce((a, b) => ({ automaton: union(a.automaton, b.automaton), exact: a.exact && b.exact }), {
      automaton: noString,
      exact: true,
    });
}

function readSequence(elements: readonly AST.Element[], tail: Reading, atStart: boolean): Reading {
  let rest = tail;
  let plain: AST.Element[] = [];
  for (const [index, element] of [...elements.entries()].reverse()) {
    if (isPlain(element)) {
      plain.unshift(element);
      continue;
    }
    rest = readPlain(plain, rest);
    plain = [];
    rest = readSpecial(element, rest, atStart && elements.slice(0, index).every(readsNothing));
  }
  return readPlain(plain, rest);
}

/** What reads the same wherever it stands. */
function isPlain(element: AST.Element): boolean {
  if (element.type === "Assertion") return false;
  if (element.type === "Quantifier") return element.max > unrolledMax || isPlain(element.element);
  return !("alternatives" in element && someElement(element, (part) => part.type === "Assertion"));
}

function readsNothing(element: AST.Element): boolean {
  return element.type === "Assertion";
}

function readPlain(elements: readonly AST.Element[], tail: Reading): Reading {
  if (elements.length === 0) return tail;
  const nfa = new Nfa();
  const compiled = new PatternNfa(nfa);
  const start = nfa.node();
  const end = nfa.node();
  nfa.jump(compiled.sequence(elements, start), nfa.embed(tail.automaton, end));
  // A repetition may hold a guard that sees the borders of this stretch instead of the text's.
  const exact = tail.exact && compiled.exact && !nfa.guarded;
  return { automaton: determinise(unguarded(nfa), start, end), exact };
}

/** Every guard as a plain jump: more texts, and none that depends on what stands before. */
function unguarded(nfa: Nfa): Nfa {
  if (!nfa.guarded) return nfa;
  for (const jumps of nfa.jumps) jumps.forEach((jump, i) => (jumps[i] = { guard: null, to: jump.to }));
  nfa.guarded = false;
  nfa.wordGuarded = false;
  return nfa;
}

function readSpecial(element: AST.Element, rest: Reading, atStart: boolean): Reading {
  if (element.type === "Group" || element.type === "CapturingGroup") {
    return readAhead(element.alternatives, rest, atStart);
  }
  if (element.type === "Quantifier") return readCopies(element, rest, atStart);
  if (element.type !== "Assertion") return { automaton: rest.automaton, exact: false };
  switch (element.kind) {
    case "start":
      return atStart ? rest : { automaton: rest.automaton, exact: false };
    case "end":
      return { automaton: intersect(rest.automaton, emptyText), exact: rest.exact };
    case "lookahead":
      return readLookahead(element, rest, atStart);
    default:
      return { automaton: rest.automaton, exact: false };
  }
}

/** From the last copy to the first: each may be followed by one copy less, or from `min` on by the rest. */
function readCopies({ element, min, max }: AST.Quantifier, rest: Reading, atStart: boolean): Reading {
  let reading = rest;
  for (let copies = 1; copies <= max; copies++) {
    const one = readSequence([element], reading, atStart && max === 1);
    const mayEnd = copies <= max - min;
    reading = mayEnd ? { automaton: union(one.automaton, rest.automaton), exact: one.exact } : one;
  }
  return reading;
}

function readLookahead(element: AST.LookaheadAssertion, rest: Reading, atStart: boolean): Reading {
  const seen = readAhead(element.alternatives, { automaton: everyString, exact: true }, atStart);
  if (!element.negate) {
    return { automaton: intersect(rest.automaton, seen.automaton), exact: rest.exact && seen.exact };
  }
  // To leave out more than what is forbidden would be to forbid too much.
  if (!seen.exact) return { automaton: rest.automaton, exact: false };
  return { automaton: difference(rest.automaton, seen.automaton), exact: rest.exact };
}

/** Every text, as the tail of what a pattern may stand anywhere in. */
export const anyTail: Reading = { automaton: everyString, exact: true };

/** The texts that end in one of the reading. @throws AutomatonTooLarge */
export function anywhere(reading: Reading): Reading {
  const nfa = new Nfa();
  const loop = nfa.node();
  const end = nfa.node();
  nfa.step(loop, everyCodePoint, loop);
  nfa.jump(loop, nfa.embed(reading.automaton, end));
  return { automaton: determinise(nfa, loop, end), exact: reading.exact };
}
