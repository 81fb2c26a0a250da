import type { Automaton } from "../automaton.js";
import type { Decimal } from "./decimal.js";
import { explore } from "../explore.js";

/** One bound of a range of absolute values. */
export interface Limit {
  readonly at: Decimal;
  /** Whether the bound itself is excluded. */
  readonly open: boolean;
}

/** Decimals without sign and exponent, from `low` to `high`; null means no bound. */
export interface MagnitudeRange {
  readonly low: Limit | null;
  readonly high: Limit | null;
  /** The number of digits before the point. */
  readonly wholeMax: number;
  /**
   * The total number of digits of a number with a point, without a leading zero; 0: no fraction is allowed.
   */
  readonly digitsMax: number;
}

/** How the digits so far compare with the same number of digits of a bound: -1, 0 or 1. */
type Order = number;

interface State {
  readonly phase: "start" | "zero" | "whole" | "point" | "fraction";
  /** The number of digits before the point, 0 after it. */
  readonly whole: number;
  readonly fraction: number;
  /** The number of digits that may still follow after the point. */
  readonly left: number;
  readonly low: Order;
  readonly high: Order;
}

/** The range on one side of zero with its state; before the sign, the positive side. */
interface Side {
  readonly range: MagnitudeRange | null;
  readonly state: State;
}

/**
 * Returns the automaton of the decimals in `above` and of those in `below` with a minus sign; null means
 * none. @throws AutomatonTooLarge
 */
export function signedDecimals(below: MagnitudeRange | null, above: MagnitudeRange | null): Automaton {
  const state: State = { phase: "start", whole: 0, fraction: 0, left: 0, low: 0, high: 0 };
  const start: Side = { range: above, state };
  const ofSide = (range: MagnitudeRange | null, from: State): (readonly [string, string, Side])[] =>
    range === null ? [] : steps(range, from).map(([low, high, to]) => [low, high, { range, state: to }]);
  return explore(start, {
    key: (side) => `${side.range === below ? "-" : "+"}${toKey(side)}`,
    isFinal: ({ range, state }) => range !== null && isFinal(range, state),
    steps: (side) => {
      const found = ofSide(side.range, side.state);
      if (side === start && below !== null) found.push(["-", "-", { range: below, state }]);
      return found;
    },
  });
}

function toKey({ range, state }: Side): string {
  const { phase, whole, fraction, left, low, high } = state;
  if (phase !== "fraction" && phase !== "point") return `${phase} ${whole} ${low} ${high}`;
  const compares = (range?.low && low === 0) || (range?.high && high === 0);
  return `${phase} ${compares ? fraction : ""} ${left} ${low} ${high}`;
}

function isFinal(range: MagnitudeRange, state: State): boolean {
  if (state.phase === "start" || state.phase === "point") return false;
  const low = atEnd(range.low, state, state.low);
  const high = atEnd(range.high, state, state.high);
  return (
    (range.low === null || low > 0 || (low === 0 && !range.low.open)) &&
    (range.high === null || high < 0 || (high === 0 && !range.high.open))
  );
}

/** Returns how the number compares with the bound if it ends here. */
function atEnd(limit: Limit | null, state: State, order: Order): Order {
  const compared = state.phase === "fraction" ? order : afterWhole(limit, state, order);
  if (limit === null || compared !== 0) return compared;
  return limit.at.fraction.length > state.fraction ? -1 : 0;
}

/** Returns the order after the integer digits: more digits mean a larger number. */
function afterWhole(limit: Limit | null, state: State, order: Order): Order {
  return limit === null || state.whole === limit.at.whole.length
    ? order
    : Math.sign(state.whole - limit.at.whole.length);
}

type Step = readonly [from: string, to: string, state: State];

function steps(range: MagnitudeRange, state: State): Step[] {
  const { phase, whole } = state;
  if (phase === "start") return [["0", "0", { ...state, phase: "zero" }], ...wholeSteps(range, state, 1)];
  const found: Step[] = [];
  if (phase === "whole" && whole < range.wholeMax) found.push(...wholeSteps(range, state, 0));
  if (phase === "fraction" || phase === "point") {
    if (state.left > 0) found.push(...fractionSteps(range, state));
  } else {
    const left = range.digitsMax - whole;
    const low = afterWhole(range.low, state, state.low);
    const high = afterWhole(range.high, state, state.high);
    if (left > 0) found.push([".", ".", { phase: "point", whole: 0, fraction: 0, left, low, high }]);
  }
  return found;
}

function wholeSteps(range: MagnitudeRange, state: State, first: number): Step[] {
  const at = state.whole;
  return stretches(first, range.low?.at.whole[at], range.high?.at.whole[at]).map(([from, to]) => [
    String(from),
    String(to),
    {
      ...state,
      phase: "whole",
      whole: at + 1,
      low: compared(state.low, from, range.low?.at.whole[at]),
      high: compared(state.high, from, range.high?.at.whole[at]),
    },
  ]);
}

function fractionSteps(range: MagnitudeRange, state: State): Step[] {
  const low = range.low === null ? undefined : (range.low.at.fraction[state.fraction] ?? "0");
  const high = range.high === null ? undefined : (range.high.at.fraction[state.fraction] ?? "0");
  return stretches(0, low, high).map(([from, to]) => [
    String(from),
    String(to),
    {
      ...state,
      phase: "fraction",
      fraction: state.fraction + 1,
      left: state.left - 1,
      low: compared(state.low, from, low),
      high: compared(state.high, from, high),
    },
  ]);
}

/** Compares a digit with the digit of the bound. A bound without a digit here is compared by length alone. */
function compared(order: Order, digit: number, limit: string | undefined): Order {
  return order !== 0 || limit === undefined ? order : Math.sign(digit - Number(limit));
}

/** Splits the digits from `first` to 9 into ranges around the digits of both bounds. */
function stretches(first: number, low: string | undefined, high: string | undefined): [number, number][] {
  const cuts = new Set([first, 10]);
  for (const limit of [low, high]) {
    if (limit !== undefined) cuts.add(Math.max(first, Number(limit))).add(Math.max(first, Number(limit) + 1));
  }
  const sorted = [...cuts].sort((a, b) => a - b);
  return sorted.slice(1).map((cut, i) => [sorted[i] ?? 0, cut - 1]);
}
