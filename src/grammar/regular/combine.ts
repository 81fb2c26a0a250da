import { determinise, Nfa } from "./nfa.js";
import { finish } from "./minimise.js";
import { addState, type Automaton, type Draft, everyString, noString, statesMax } from "./shape.js";

/** The texts of both. @throws AutomatonTooLarge */
export function intersect(a: Automaton, b: Automaton): Automaton {
  if (a === everyString || a === b) return b;
  if (b === everyString) return a;
  return product(a, b, (inA, inB) => inA && inB);
}

/** The texts of either. @throws AutomatonTooLarge */
export function union(a: Automaton, b: Automaton): Automaton {
  if (a === b || b === noString) return a;
  if (a === noString) return b;
  return product(a, b, (inA, inB) => inA || inB);
}

/** The texts of `a` that `b` has not. @throws AutomatonTooLarge */
export function difference(a: Automaton, b: Automaton): Automaton {
  return b === noString ? a : product(a, b, (inA, inB) => inA && !inB);
}

/** The texts that `a` has not. @throws AutomatonTooLarge */
export function complement(a: Automaton): Automaton {
  return difference(everyString, a);
}

/** A text of `a`, then one of `b`. @throws AutomatonTooLarge */
export function concat(a: Automaton, b: Automaton): Automaton {
  const nfa = new Nfa();
  const end = nfa.node();
  const second = nfa.embed(b, end);
  return determinise(nfa, nfa.embed(a, second), end);
}

type Keeps = (inA: boolean, inB: boolean) => boolean;

/** A state of `a` beside one of `b`, or -1 where the text has left that automaton. */
type Pair = readonly [number, number];

function product(a: Automaton, b: Automaton, keeps: Keeps): Automaton {
  const needsA = !keeps(false, true);
  const needsB = !keeps(true, false);
  const draft: Draft = { finals: [], edges: [] };
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
    sweep(a, stateA, b, stateB, (low, high, toA, toB) => {
      if ((needsA && toA < 0) || (needsB && toB < 0)) return;
      edges.push(low, high, enter(toA, toB));
    });
  }
  // An operand that is large by itself, as a long list of texts is, may leave something as large.
  return finish(draft, Math.max(statesMax, a.stateCount + 1, b.stateCount + 1));
}

function draftMax(a: Automaton, b: Automaton): number {
  return Math.max(10 * statesMax, 2 * a.stateCount, 2 * b.stateCount);
}

type Visit = (low: number, high: number, toA: number, toB: number) => void;

/** The stretches of code points that lead on from either state, low to high. */
function sweep(a: Automaton, stateA: number, b: Automaton, stateB: number, visit: Visit): void {
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
