import type { Clause, Term } from "../language.js";
import type { ObjectPlan } from "./plan.js";

/** States that the counters of one object may have between two keys, and in all. */
const statesMax = 64;
const placesMax = 20_000;

/** What is remembered about the keys written so far. */
interface Count {
  readonly keys: number;
  /** One character a clause: "1" once it is met. */
  readonly met: string;
}

/**
 * What minProperties, maxProperties and dependencies allow, as states between the keys of an object. State 0 begins. The
 * last place is the one of the extra keys, which may come any number of times.
 */
export interface Counting {
  /** States at each place that are on a way from the start to an end. */
  readonly places: readonly ReadonlySet<number>[];
  /** The state after the key of this place, or its absence; undefined where that leads to no end. */
  after(place: number, state: number, present: boolean): number | undefined;
  /** Whether the object may end at the last place in this state. */
  ends(state: number): boolean;
}

/** @returns null where no object satisfies the plan, "large" where the counters need too many states */
export function countingOf(plan: ObjectPlan, alive: (term: Term) => boolean): Counting | null | "large" {
  const moves = movesOf(plan, alive);
  const places: Set<number>[] = [new Set([0])];
  let total = 0;
  for (const index of plan.entries.keys()) {
    const next = new Set<number>();
    for (const state of places[index] ?? [])
      for (const present of [true, false]) {
        const after = moves.step(index, state, present);
        if (after !== undefined) next.add(after);
      }
    total += next.size;
    if (next.size > statesMax || total > placesMax) return "large";
    places.push(next);
  }
  const last = plan.entries.length;
  const more = places[last] ?? new Set();
  for (const state of more) {
    const after = moves.step(last, state, true);
    if (after !== undefined) more.add(after);
    if (more.size > statesMax * 4) return "large";
  }
  return prune(places, moves);
}

interface Moves {
  step(place: number, state: number, present: boolean): number | undefined;
  ends(state: number): boolean;
}

function movesOf(plan: ObjectPlan, alive: (term: Term) => boolean): Moves {
  const { entries, clauses, minProperties, maxProperties } = plan;
  const counts: Count[] = [];
  const numbers = new Map<string, number>();
  const top = maxProperties === null ? minProperties : maxProperties + 1;
  const stateOf = (count: Count): number => {
    const key = `${count.keys} ${count.met}`;
    const number = numbers.get(key) ?? counts.push(count) - 1;
    numbers.set(key, number);
    return number;
  };
  stateOf({ keys: 0, met: "0".repeat(clauses.length) });
  const living = entries.map((entry) => alive(entry.term));
  const growing = plan.extras.some((extra) => alive(extra.term));
  return {
    step(place, state, present) {
      const before = counts[state];
      const entry = entries[place];
      if (before === undefined) return undefined;
      const keys = present ? Math.min(before.keys + 1, top) : before.keys;
      if (maxProperties !== null && keys > maxProperties) return undefined;
      if (entry === undefined) return present && growing ? stateOf({ keys, met: before.met }) : undefined;
      if (present ? living[place] !== true : entry.required) return undefined;
      return stateOf({ keys, met: metAfter(before.met, clauses, entry.key, present) });
    },
    ends(state) {
      const count = counts[state];
      return count !== undefined && count.keys >= minProperties && !count.met.includes("0");
    },
  };
}

function metAfter(met: string, clauses: readonly Clause[], key: string, present: boolean): string {
  if (!met.includes("0")) return met;
  return [...met]
    .map((before, index) => {
      const clause = clauses[index];
      const here = present ? clause?.present : clause?.absent;
      return before === "1" || here?.includes(key) === true ? "1" : "0";
    })
    .join("");
}

/** Keeps what leads to an end, from the last place to the first. */
function prune(places: readonly Set<number>[], moves: Moves): Counting | null {
  const last = places.length - 1;
  const kept: Set<number>[] = places.map(() => new Set());
  const ending = kept[last] ?? new Set();
  for (let before = -1; before !== ending.size;) {
    before = ending.size;
    for (const state of places[last] ?? []) {
      const after = moves.step(last, state, true);
      if (moves.ends(state) || (after !== undefined && ending.has(after))) ending.add(state);
    }
  }
  for (let place = last - 1; place >= 0; place--)
    for (const state of places[place] ?? [])
      for (const present of [true, false]) {
        const after = moves.step(place, state, present);
        if (after !== undefined && kept[place + 1]?.has(after) === true) kept[place]?.add(state);
      }
  if (kept[0]?.has(0) !== true) return null;
  return {
    places: kept,
    after(place, state, present) {
      const after = moves.step(place, state, present);
      const next = kept[Math.min(place + 1, last)];
      return after !== undefined && next?.has(after) === true ? after : undefined;
    },
    ends: (state) => moves.ends(state),
  };
}
