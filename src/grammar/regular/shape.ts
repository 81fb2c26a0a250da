import { everyCodePoint, type Ranges } from "./ranges.js";

/** Thrown when an automaton exceeds its limit of states. */
export class AutomatonTooLarge extends Error {
  constructor(states: number) {
    super(`more than ${states} states`);
    this.name = "AutomatonTooLarge";
  }
}

/**
 * A minimal deterministic finite automaton (DFA) over code points. State 0 is the start state. Every state
 * reaches an accepting state, except the start state of the empty language. The edges of state `s` are at
 * `offsets[s]` up to `offsets[s + 1]`, sorted and disjoint.
 */
export interface Automaton {
  readonly stateCount: number;
  readonly finals: Uint8Array;
  readonly offsets: Int32Array;
  readonly lows: Int32Array;
  readonly highs: Int32Array;
  readonly targets: Int32Array;
}

/**
 * An automaton under construction. State 0 is the start state; the edges of a state are flat, disjoint
 * triples low, high, target.
 */
export interface AutomatonDraft {
  readonly finals: boolean[];
  readonly edges: number[][];
}

/** The limits of states of a finished automaton, and of one under construction. */
export const statesMax = 2_000;
export const draftStatesMax = 20_000;

/** Adds a state without edges. @returns its number @throws AutomatonTooLarge */
export function addState(draft: AutomatonDraft, final: boolean, max = draftStatesMax): number {
  if (draft.finals.length >= max) throw new AutomatonTooLarge(max);
  draft.finals.push(final);
  return draft.edges.push([]) - 1;
}

/** Returns the automaton of a draft that is already minimal, with its states in breadth-first order. */
export function freeze(draft: AutomatonDraft): Automaton {
  const stateCount = draft.finals.length;
  const offsets = new Int32Array(stateCount + 1);
  let edgeCount = 0;
  for (const [state, edges] of draft.edges.entries()) {
    offsets[state] = edgeCount;
    edgeCount += edges.length / 3;
  }
  offsets[stateCount] = edgeCount;
  const lows = new Int32Array(edgeCount);
  const highs = new Int32Array(edgeCount);
  const targets = new Int32Array(edgeCount);
  let at = 0;
  for (const edges of draft.edges) {
    for (let i = 0; i < edges.length; i += 3, at++) {
      lows[at] = edges[i] ?? 0;
      highs[at] = edges[i + 1] ?? 0;
      targets[at] = edges[i + 2] ?? 0;
    }
  }
  return { stateCount, finals: Uint8Array.from(draft.finals, Number), offsets, lows, highs, targets };
}

/** Returns the edges that consume one character of `set`, as flat triples. */
export function edgesInto(set: Ranges, target: number): number[] {
  const edges: number[] = [];
  for (let i = 0; i < set.length; i += 2) edges.push(set[i] ?? 0, set[i + 1] ?? 0, target);
  return edges;
}

/** The language of all texts, and the empty language. */
export const everyString: Automaton = freeze({ finals: [true], edges: [edgesInto(everyCodePoint, 0)] });
export const noString: Automaton = freeze({ finals: [false], edges: [[]] });
