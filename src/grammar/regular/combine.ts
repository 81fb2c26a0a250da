import { determinise, Nfa } from "./nfa.js";
import { minimalAutomaton } from "./minimise.js";
import { spend } from "../work.js";
import { lengthBetween } from "./lengths.js";
import {
  addState,
  type Automaton,
  type AutomatonDraft,
  AutomatonTooLarge,
  everyString,
  noString,
  statesMax,
} from "./shape.js";

/** Pairs of a state and a length. From more, minimising hardly ever makes an automaton within the limit of states, at great cost. */
const lengthPairsMax = 3 * statesMax;
/** What counting a state and its targets costs. */
const stepsOfPair = 2;

/** Returns the intersection. @throws AutomatonTooLarge */
export function intersect(a: Automaton, b: Automaton): Automaton {
  if (a === everyString || a === b) return b;
  if (b === everyString) return a;
  return product(a, b, (inA, inB) => inA && inB);
}

/** Returns the union. @throws AutomatonTooLarge */
export function union(a: Automaton, b: Automaton): Automaton {
  if (a === b || b === noString) return a;
  if (a === noString) return b;
  return product(a, b, (inA, inB) => inA || inB);
}

/** Returns the texts of `a` that are not in `b`. @throws AutomatonTooLarge */
export function difference(a: Automaton, b: Automaton): Automaton {
  return b === noString ? a : product(a, b, (inA, inB) => inA && !inB);
}

/** Returns all texts that are not in `a`. @throws AutomatonTooLarge */
export function complementAutomaton(a: Automaton): Automaton {
  return difference(everyString, a);
}

/** Returns the concatenations of a text of `a` and a text of `b`. @throws AutomatonTooLarge */
export function concat(a: Automaton, b: Automaton): Automaton {
  const nfa = new Nfa();
  const end = nfa.addNode();
  const second = nfa.embed(b, end);
  return determinise(nfa, nfa.embed(a, second), end);
}

/**
 * Returns the texts of an automaton with `min` to `max` characters; null means no limit. Lengths that need too many states are found
 * before the states are built. @throws AutomatonTooLarge
 */
export function withLengths(automaton: Automaton, min: number, max: number | null): Automaton {
  if (automaton === everyString) return lengthBetween(min, max);
  checkPairs(automaton, max ?? min);
  return intersect(automaton, lengthBetween(min, max));
}

/** Counts the states that the texts of each length up to `lengthMax` reach. @throws AutomatonTooLarge */
function checkPairs(automaton: Automaton, lengthMax: number): void {
  const targets = Array.from({ length: automaton.stateCount }, (_, state) => [
    ...new Set(automaton.targets.subarray(automaton.offsets[state], automaton.offsets[state + 1])),
  ]);
  let level: ReadonlySet<number> = new Set([0]);
  for (let length = 0, pairs = 0; length <= lengthMax && level.size > 0; length += 1) {
    pairs += level.size;
    if (pairs > lengthPairsMax) throw new AutomatonTooLarge(statesMax);
    spend(stepsOfPair * level.size);
    const next = new Set<number>();
    for (const state of level) for (const target of targets[state] ?? []) next.add(target);
    level = next;
  }
}

type Accepts = (inA: boolean, inB: boolean) => boolean;

/** A state of `a` paired with a state of `b`; -1 where that automaton has no transition left. */
type Pair = readonly [number, number];

function product(a: Automaton, b: Automaton, keeps: Accepts): Automaton {
  const needsA = !keeps(false, true);
  const needsB = !keeps(true, false);
  const draft: AutomatonDraft = { finals: [], edges: [] };
  const numbers = new Map<number, number>();
  const pending: Pair[] = [];
  const enter = (stateA: number, stateB: number): number => {
    const key = (stateA + 1) * (b.stateCount + 1) + stateB + 1;
    const known = numbers.get(key);
    if (known !== undefined) return known;
    const number = addState(draft, keeps(a.finals[stateA] === 1, b.finals[stateB] === 1), draftMax(a, b));
    numbers.set(key, number);
    pending.push([stateA, stateB]);
    return number;
  };
  enter(0, 0);
  for (const [state, [stateA, stateB]] of pending.entries()) {
    const edges = draft.edges[state] ?? [];
    forEachStretch(a, stateA, b, stateB, (low, high, toA, toB) => {
      if ((needsA && toA < 0) || (needsB && toB < 0)) return;
      edges.push(low, high, enter(toA, toB));
    });
    spend(1 + edges.length / 3);
  }
  // A large operand, such as a long list of texts, may produce a result of similar size.
  return minimalAutomaton(draft, Math.max(statesMax, a.stateCount + 1, b.stateCount + 1));
}

function draftMax(a: Automaton, b: Automaton): number {
  return Math.max(10 * statesMax, 2 * a.stateCount, 2 * b.stateCount);
}

type Visit = (low: number, high: number, toA: number, toB: number) => void;

/** Visits the ranges of code points with a transition from either state, in ascending order. */
function forEachStretch(a: Automaton, stateA: number, b: Automaton, stateB: number, visit: Visit): void {
  let i = stateA < 0 ? 0 : (a.offsets[stateA] ?? 0);
  let j = stateB < 0 ? 0 : (b.offsets[stateB] ?? 0);
  const endA = stateA < 0 ? 0 : (a.offsets[stateA + 1] ?? 0);
  const endB = stateB < 0 ? 0 : (b.offsets[stateB + 1] ?? 0);
  let from = 0;
  while (i < endA || j < endB) {
    const lowA = i < endA ? Math.max(a.lows[i] ?? 0, from) : Infinity;
    const lowB = j < endB ? Math.max(b.lows[j] ?? 0, from) : Infinity;
    const highA = i < endA ? (a.highs[i] ?? 0) : Infinity;
    const highB = j < endB ? (b.highs[j] ?? 0) : Infinity;
    const low = Math.min(lowA, lowB);
    const high = Math.min(lowA > low ? lowA - 1 : highA, lowB > low ? lowB - 1 : highB);
    visit(low, high, lowA > low ? -1 : (a.targets[i] ?? 0), lowB > low ? -1 : (b.targets[j] ?? 0));
    from = high + 1;
    if (highA < from) i++;
    if (highB < from) j++;
  }
}
