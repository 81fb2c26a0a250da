/**
 * The JSON texts of the numbers of a range: decimals, compared digit by digit with the limits and divided as they are read.
 * Digits are bounded so that no text reads as another number than it says, and none as infinity; "-0" is left out.
 */
import { type Automaton, AutomatonTooLarge, intersect, isEmpty, union } from "../automaton.js";
import { decimalOf, neighbour } from "./decimal.js";
import { type Limit, type MagnitudeRange, signedDecimals } from "./magnitude.js";
import { multiplesOf } from "./multiples.js";
import { patternAutomaton } from "../pattern/pattern.js";

export interface NumberRange {
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly exclusiveMinimum?: number | undefined;
  readonly exclusiveMaximum?: number | undefined;
  /** All above zero. */
  readonly multipleOf?: readonly number[] | undefined;
  /** Whole numbers, written without point and exponent. */
  readonly integer: boolean;
}

/** Decimals of so many digits are all different doubles; one double's shortest decimal has at most two more. */
const digitsApart = 15;
const digitsRead = 17;
const wholeDigitsMax = 19;
/** With fewer digits more divisors fit. */
const digitsWithDivisor = [digitsApart, 9, 6];

/** An end of the range, at a number with its sign. */
interface End {
  readonly at: number;
  readonly open: boolean;
}

/** The texts of the numbers of a range, null for none; with `exact` false some more than those. */
export function numberAutomaton(range: NumberRange): { automaton: Automaton | null; exact: boolean } {
  const { multipleOf = [], integer } = range;
  if (multipleOf.length > 0) {
    const divided = withDivisors(range, integer ? [...multipleOf, 1] : multipleOf);
    return { automaton: orNull(divided ?? decimals(range)), exact: divided !== null };
  }
  return { automaton: orNull(isUnbounded(range) && !integer ? anyNumber() : decimals(range)), exact: true };
}

function orNull(automaton: Automaton): Automaton | null {
  return isEmpty(automaton) ? null : automaton;
}

/** @returns null where the multiples cannot be told apart from other numbers */
function withDivisors(range: NumberRange, divisors: readonly number[]): Automaton | null {
  for (const digits of digitsWithDivisor) {
    try {
      const divided = intersect(multiplesOf(divisors), decimals(range, digits));
      // With so few digits an empty language may only say that there are too few.
      if (!isEmpty(divided) || hasDigitsFor(range, digits)) return divided;
    } catch (error) {
      if (!(error instanceof AutomatonTooLarge)) throw error;
    }
  }
  return null;
}

function hasDigitsFor(range: NumberRange, digits: number): boolean {
  const low = Math.max(range.minimum ?? -Infinity, range.exclusiveMinimum ?? -Infinity);
  const high = Math.min(range.maximum ?? Infinity, range.exclusiveMaximum ?? Infinity);
  return digits === digitsApart && Math.max(Math.abs(low), Math.abs(high)) < 10 ** digits;
}

function isUnbounded({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: NumberRange): boolean {
  return [minimum, maximum, exclusiveMinimum, exclusiveMaximum].every((end) => end === undefined);
}

let unbounded: Automaton | null = null;

/** Only here exponents: after one digit, and too small to overflow. */
function anyNumber(): Automaton {
  const exponents = "^-?[1-9](\\.[0-9]{1,17})?[eE][+-]?([0-9]{1,2}|[12][0-9]{2}|30[0-7])$";
  unbounded ??= union(decimals({ integer: false }), patternAutomaton(exponents).automaton);
  return unbounded;
}

/** @param digits the most digits, where they are fewer than a range asks for by itself */
function decimals(range: NumberRange, digits?: number): Automaton {
  const low = tighter([end(range.minimum, false, 1), end(range.exclusiveMinimum, true, 1)], 1);
  const high = tighter([end(range.maximum, false, -1), end(range.exclusiveMaximum, true, -1)], -1);
  // No decimal of so few digits reads as zero without being it.
  const isOpen = [low, high].some((one) => one?.open === true && one.at !== 0);
  const most = range.integer ? 0 : Math.min(digits ?? digitsRead, isOpen ? digitsApart : digitsRead);
  const below = low === null || low.at < 0 ? side(mirrored(high), mirrored(low), most, digits) : null;
  const above = high === null || high.at >= 0 ? side(low, high, most, digits) : null;
  return signedDecimals(below === null ? null : { ...below, low: below.low ?? aboveZero }, above);
}

const aboveZero: Limit = { at: { whole: "", fraction: "" }, open: true };

/** The numbers on one side of zero, without their sign. */
function side(from: End | null, to: End | null, digitsMax: number, digits?: number): MagnitudeRange {
  const low = from !== null && (from.at > 0 || (from.at === 0 && from.open)) ? limit(from) : null;
  const wholeMax = digits ?? Math.min(309, Math.max(wholeDigitsMax, (low?.at.whole.length ?? 0) + 1));
  const most = to ?? (wholeMax === 309 ? { at: Number.MAX_VALUE, open: false } : null);
  return { low, high: most === null ? null : limit(most), wholeMax, digitsMax };
}

/** An open end among doubles that lie a whole number apart is the closed one at the next of them. */
function end(at: number | undefined, open: boolean, direction: 1 | -1): End | null {
  if (at === undefined) return null;
  return open && Math.abs(at) >= 1e15 ? { at: neighbour(at, direction), open: false } : { at, open };
}

function mirrored(end: End | null): End | null {
  return end === null ? null : { at: -end.at, open: end.open };
}

function limit({ at, open }: End): Limit {
  return { at: decimalOf(at), open };
}

/** @param direction 1 for lower ends, of which the higher counts, -1 for upper ones */
function tighter(ends: readonly (End | null)[], direction: 1 | -1): End | null {
  let best: End | null = null;
  for (const one of ends) {
    if (one === null) continue;
    const difference = best === null ? 1 : (one.at - best.at) * direction;
    if (difference > 0 || (difference === 0 && one.open)) best = one;
  }
  return best;
}
