/**
 * Counts the work of a conversion in steps, so that its limit does not depend on how busy the machine is. A step is about as much as
 * one transition of an automaton costs. A conversion is synchronous, so at most one is metered in a thread at a time, and the functions
 * below count for that one; outside of a metered call they do nothing.
 */
import { SchemaRefusal } from "./schema/refusal.js";

/** A keyword of the schema and the JSON Pointer of its subschema. */
export interface CostPlace {
  readonly keyword: string;
  readonly pointer: string;
}

interface Meter {
  stepsMax: number;
  steps: number;
  place: CostPlace | null;
  /** The steps when the work at this place began or was resumed. */
  stepsBefore: number;
  /** The steps counted at each place before, by pointer and keyword. */
  readonly stepsAt: Map<string, Map<string, number>>;
}

let metered: Meter | null = null;

/** Thrown when a conversion takes more steps than it may; it names the place that took the most. */
class WorkExceeded extends SchemaRefusal {
  constructor(
    readonly stepsMax: number,
    place: CostPlace,
  ) {
    super(
      `The schema is too costly to convert: it takes more than ${stepsMax} steps, most of them for this keyword. ` +
        "Use fewer or simpler alternatives, conditions and patterns there, or give each alternative a distinguishing const.",
      place,
    );
    this.name = "WorkExceeded";
  }
}

/**
 * Calls `run` with a limit of steps, and returns its result with the steps it took.
 * @throws WorkExceeded, and what `run` throws
 */
export function withStepLimit<Result>(
  stepsMax: number,
  run: () => Result,
): { readonly result: Result; readonly steps: number } {
  const outer = metered;
  const meter: Meter = { stepsMax, steps: 0, place: null, stepsBefore: 0, stepsAt: new Map() };
  metered = meter;
  try {
    return { result: run(), steps: meter.steps };
  } finally {
    metered = outer;
  }
}

/** Calls `run` without counting, for results that are kept for later conversions. */
export function uncounted<Result>(run: () => Result): Result {
  const outer = metered;
  metered = null;
  try {
    return run();
  } finally {
    metered = outer;
  }
}

/** Counts work. @throws WorkExceeded over the limit */
export function spend(steps: number): void {
  if (metered === null) return;
  metered.steps += steps;
  if (metered.steps <= metered.stepsMax) return;
  moveTo(null, metered);
  throw new WorkExceeded(metered.stepsMax, costliest(metered.stepsAt));
}

/**
 * Calls `run` with at most this many further steps.
 * @returns null when it takes more
 */
export function attempt<Result extends object>(steps: number, run: () => Result): Result | null {
  if (metered === null) return run();
  const meter = metered;
  const outerMax = meter.stepsMax;
  const ownMax = Math.min(outerMax, meter.steps + steps);
  meter.stepsMax = ownMax;
  try {
    return run();
  } catch (thrown) {
    if (thrown instanceof WorkExceeded && ownMax < outerMax) return null;
    throw thrown;
  } finally {
    meter.stepsMax = outerMax;
  }
}

/** Calls `run`; its work counts for this place. */
export function workingAt<Result>(place: CostPlace, run: () => Result): Result {
  if (metered === null) return run();
  const meter = metered;
  const outer = meter.place;
  moveTo(place, meter);
  try {
    return run();
  } finally {
    moveTo(outer, meter);
  }
}

function moveTo(place: CostPlace | null, meter: Meter): void {
  const { steps, stepsBefore, stepsAt } = meter;
  if (meter.place !== null) {
    const { keyword, pointer } = meter.place;
    const byKeyword = stepsAt.get(pointer) ?? new Map<string, number>();
    stepsAt.set(pointer, byKeyword);
    byKeyword.set(keyword, (byKeyword.get(keyword) ?? 0) + steps - stepsBefore);
  }
  meter.place = place;
  meter.stepsBefore = steps;
}

/** Returns the place with the most steps. */
function costliest(stepsAt: Meter["stepsAt"]): CostPlace {
  let most: CostPlace = { keyword: "type", pointer: "" };
  let stepsMost = 0;
  for (const [pointer, byKeyword] of stepsAt)
    for (const [keyword, steps] of byKeyword) {
      if (steps <= stepsMost) continue;
      most = { keyword, pointer };
      stepsMost = steps;
    }
  return most;
}
