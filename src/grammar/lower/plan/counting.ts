import { spend } from "../../work.js";
import type { Clause, Term } from "../language.js";
import type { Entry, ObjectPlan } from "./plan.js";

/** Limits of counter states: at one position, and over all positions. */
const statesMax = 64;
const positionsMax = 20_000;

/** The state of the counters after the keys written so far. */
interface CounterState {
  readonly keys: number;
  /** One character per clause: "1" once it is satisfied. */
  readonly satisfied: string;
}

/**
 * An automaton over the keys of an object that enforces minProperties, maxProperties and dependencies. State
 * 0 is the start state. The last position stands for the extra keys and can repeat.
 */
export interface Counting {
  /** The states at each position that lie on a path from the start to an end. */
  readonly positions: readonly ReadonlySet<number>[];
  /**
   * Returns the state after the key at this position is present or absent; undefined if no end is reachable
   * from it.
   */
  after(position: number, state: number, present: boolean): number | undefined;
  /** Whether the object may end in this state at the last position. */
  ends(state: number): boolean;
}

/** @returns null if no object satisfies the plan, "large" if the counters need too many states */
export function planCounting(
  plan: ObjectPlan,
  isProductive: (term: Term) => boolean,
): Counting | null | "large" {
  const transitions = listTransitions(plan, isProductive);
  const positions: Set<number>[] = [new Set([0])];
  let total = 0;
  for (const index of plan.entries.keys()) {
    const next = new Set<number>();
    for (const state of positions[index] ?? [])
      for (const present of [true, false]) {
        const after = transitions.step(index, state, present);
        if (after !== undefined) next.add(after);
      }
    total += next.size;
    if (next.size > statesMax || total > positionsMax) return "large";
    positions.push(next);
  }
  const last = plan.entries.length;
  const more = positions[last] ?? new Set();
  for (const state of more) {
    const after = transitions.step(last, state, true);
    if (after !== undefined) more.add(after);
    if (more.size > statesMax * 4) return "large";
  }
  return prune(positions, transitions);
}

type Transitions = ReturnType<typeof listTransitions>;

function listTransitions(plan: ObjectPlan, isProductive: (term: Term) => boolean) {
  const { entries, clauses, minProperties, maxProperties } = plan;
  const counts: CounterState[] = [];
  const numbers = new Map<string, number>();
  const cap = maxProperties === null ? minProperties : maxProperties + 1;
  const numberState = (count: CounterState): number => {
    const key = `${count.keys} ${count.satisfied}`;
    const number = numbers.get(key) ?? counts.push(count) - 1;
    numbers.set(key, number);
    return number;
  };
  numberState({ keys: 0, satisfied: "0".repeat(clauses.length) });
  const productive = entries.map((entry) => isProductive(entry.term));
  const hasExtras = plan.extras.some((extra) => isProductive(extra.term));
  return {
    step(position: number, state: number, present: boolean): number | undefined {
      spend(4 + clauses.length);
      const before = counts[state];
      const entry = entries[position];
      if (before === undefined) return undefined;
      const keys = present ? Math.min(before.keys + 1, cap) : before.keys;
      if (maxProperties !== null && keys > maxProperties) return undefined;
      if (entry === undefined)
        return present && hasExtras ? numberState({ keys, satisfied: before.satisfied }) : undefined;
      if (present ? productive[position] !== true : entry.required) return undefined;
      return numberState({ keys, satisfied: satisfiedAfter(before.satisfied, clauses, entry.key, present) });
    },
    ends(state: number): boolean {
      const count = counts[state];
      return count !== undefined && count.keys >= minProperties && !count.satisfied.includes("0");
    },
  };
}

function satisfiedAfter(
  satisfied: string,
  clauses: readonly Clause[],
  key: Entry["key"],
  present: boolean,
): string {
  if (!satisfied.includes("0") || typeof key !== "string") return satisfied;
  return [...satisfied]
    .map((before, index) => {
      const clause = clauses[index];
      const here = present ? clause?.present : clause?.absent;
      return before === "1" || here?.includes(key) === true ? "1" : "0";
    })
    .join("");
}

/** Removes the states from which no end is reachable, from the last position to the first. */
function prune(positions: readonly Set<number>[], transitions: Transitions): Counting | null {
  const last = positions.length - 1;
  const reachable: Set<number>[] = positions.map(() => new Set());
  const ending = reachable[last] ?? new Set();
  for (let before = -1; before !== ending.size;) {
    before = ending.size;
    for (const state of positions[last] ?? []) {
      const after = transitions.step(last, state, true);
      if (transitions.ends(state) || (after !== undefined && ending.has(after))) ending.add(state);
    }
  }
  for (let position = last - 1; position >= 0; position--)
    for (const state of positions[position] ?? [])
      for (const present of [true, false]) {
        const after = transitions.step(position, state, present);
        if (after !== undefined && reachable[position + 1]?.has(after) === true)
          reachable[position]?.add(state);
      }
  if (reachable[0]?.has(0) !== true) return null;
  return {
    positions: reachable,
    after(position, state, present) {
      const after = transitions.step(position, state, present);
      const next = reachable[Math.min(position + 1, last)];
      return after !== undefined && next?.has(after) === true ? after : undefined;
    },
    ends: (state) => transitions.ends(state),
  };
}
