/**
 * The JSON texts of the numbers in a range: decimals, compared digit by digit with the bounds, with
 * remainders computed digit by digit. The number of digits is bounded so that every text parses to the number
 * it denotes and none to infinity, unless a bound itself has more digits; "-0" is not generated.
 */
import {
  type Automaton,
  AutomatonTooLarge,
  difference,
  intersect,
  isEmpty,
  union,
  automatonOfTexts,
} from "../automaton.js";
import {
  toDecimal,
  compareNumbers,
  ExactNumber,
  greatest,
  least,
  negative,
  neighbour,
  readSign,
  type JsonNumber,
} from "./decimal.js";
import { type Limit, type MagnitudeRange, signedDecimals } from "./magnitude.js";
import { createAllMultiples, toDivisor, createMultiples, type Divisor } from "./multiples.js";
import { attempt, uncounted } from "../../work.js";
import { patternAutomaton } from "../pattern/pattern.js";

export type { NumberRange };

/**
 * Decimals with 15 digits are all different doubles; the shortest decimal of a double has up to 17 digits.
 */
const digitsApart = 15;
const digitsRead = 17;
const wholeDigitsMax = 19;
/** The digits to try for multiples; with fewer digits larger divisors fit the limit of states. */
const digitsWithDivisor = [digitsApart, 9, 6];
/** Remainders times digits: an estimate of the states of multiples with a limit of digits. */
const remaindersTimesDigitsMax = 1_000;
/** Divisors with more remainders together are not excluded, nor those that take more steps. */
const remaindersExcludedMax = 250;
const exclusionStepsMax = 250_000;

/** A bound of the range, with its sign. */
interface Bound {
  readonly at: JsonNumber;
  readonly open: boolean;
}

/** Returns the automaton of the numbers in a range, or null for none. With `exact` false it is a superset. */
export function numberAutomaton(range: NumberRange): { automaton: Automaton | null; exact: boolean } {
  const { notMultipleOf = [] } = range;
  const known = withoutExceptions(range);
  if (notMultipleOf.length === 0 || known.automaton === null) return known;
  return (
    attempt(exclusionStepsMax, () => withoutMultiples(known, notMultipleOf)) ?? { ...known, exact: false }
  );
}

interface NumberTexts {
  readonly automaton: Automaton | null;
  readonly exact: boolean;
}

function withoutExceptions(range: NumberRange): NumberTexts {
  const { multipleOf = [], notMultipleOf = [], integer } = range;
  if (multipleOf.length === 0 && notMultipleOf.length > 0) {
    // With more digits, a text may parse to another number, of which it is a multiple.
    const read = decimals(range, digitsApart);
    return { automaton: isEmpty(read) ? nonEmpty(decimals(range)) : read, exact: true };
  }
  if (multipleOf.length > 0) {
    const divided = withDivisors(range, integer ? [...multipleOf, 1] : multipleOf);
    return { automaton: nonEmpty(divided ?? decimals(range)), exact: divided !== null };
  }
  return { automaton: nonEmpty(isFree(range) ? anyNumber() : decimals(range)), exact: true };
}

/** Leaves out the multiples of a divisor, unless the divisor is large. */
function withoutMultiples(known: NumberTexts, excluded: readonly number[]): NumberTexts {
  let { automaton, exact } = known;
  let remainders = 1;
  for (const each of excluded) {
    const divisor = toDivisor([each]);
    if (automaton === null) break;
    remainders *= divisor?.remainders ?? Infinity;
    if (divisor === null || remainders > remaindersExcludedMax) return { automaton, exact: false };
    try {
      automaton = nonEmpty(difference(automaton, createAllMultiples(divisor)));
    } catch (error) {
      if (!(error instanceof AutomatonTooLarge)) throw error;
      exact = false;
    }
  }
  return { automaton, exact };
}

function nonEmpty(automaton: Automaton): Automaton | null {
  return isEmpty(automaton) ? null : automaton;
}

/**
 * Few multiples are listed; more are an automaton of remainders; where that needs too many states, only the
 * multiples nearest to zero are generated. @returns null if the common multiple is too large to count with
 */
function withDivisors(range: NumberRange, divisors: readonly number[]): Automaton | null {
  const divisor = toDivisor(divisors);
  if (divisor === null) return null;
  const few = multiplesInRange(range, divisor);
  if (few !== null) return few;
  for (const digits of digitsWithDivisor) {
    if (divisor.remainders * digits > remaindersTimesDigitsMax) continue;
    try {
      const divided = intersect(createMultiples(divisor), decimals(range, digits));
      // With few digits an empty language can mean only that there are too few digits.
      if (!isEmpty(divided) || hasDigitsFor(range, digits)) return divided;
    } catch (error) {
      if (!(error instanceof AutomatonTooLarge)) throw error;
    }
  }
  return multiplesNearZero(range, divisor);
}

function hasDigitsFor(range: NumberRange, digits: number): boolean {
  const low = greatest(range.minimum, range.exclusiveMinimum);
  const high = least(range.maximum, range.exclusiveMaximum);
  if (low === undefined || high === undefined || digits !== digitsApart) return false;
  return [low, high].every((bound) => Math.abs(Number(String(bound))) < 10 ** digits);
}

/** Returns whether all numbers are in the range. */
function isFree({ integer, notMultipleOf, ...bounds }: NumberRange): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = bounds;
  if (integer || notMultipleOf !== undefined) return false;
  return [minimum, maximum, exclusiveMinimum, exclusiveMaximum].every((end) => end === undefined);
}

let unbounded: Automaton | null = null;

/** All numbers. Only here exponents are generated: after one digit, and too small to overflow. */
function anyNumber(): Automaton {
  const exponents = "^-?[1-9](\\.[0-9]{1,17})?[eE][+-]?([0-9]{1,2}|[12][0-9]{2}|30[0-7])$";
  unbounded ??= uncounted(() => union(decimals({ integer: false }), patternAutomaton(exponents).automaton));
  return unbounded;
}

/** @param digits a limit of digits below the range's own */
function decimals(range: NumberRange, digits?: number): Automaton {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, integer } = range;
  const bound = hasExactBound(range) ? exactEnd : end;
  const low = tightestBound([bound(minimum, false, 1), bound(exclusiveMinimum, true, 1)], 1);
  const high = tightestBound([bound(maximum, false, -1), bound(exclusiveMaximum, true, -1)], -1);
  const most = integer ? 0 : (digits ?? Math.max(fractionDigits(low, high), digitsBetween(low, high)));
  const below = low === null || readSign(low.at) < 0 ? side(negated(high), negated(low), most, digits) : null;
  const above = high === null || readSign(high.at) >= 0 ? side(low, high, most, digits) : null;
  return signedDecimals(below === null ? null : { ...below, low: below.low ?? aboveZero }, above);
}

/** Returns the digits of a number with a point with which no text parses to an exclusive bound. */
function fractionDigits(low: Bound | null, high: Bound | null): number {
  // No other decimal with so few digits parses to zero.
  const isOpen = [low, high].some((one) => one?.open === true && readSign(one.at) !== 0);
  return isOpen ? digitsApart : digitsRead;
}

/** Returns the digits that suffice for a number between bounds that a double does not keep; 0 if these are integers. */
function digitsBetween(low: Bound | null, high: Bound | null): number {
  const digits = [low, high].map((one) => {
    if (!(one?.at instanceof ExactNumber)) return 0;
    const { whole, fraction } = one.at.magnitude;
    return fraction === "" ? 0 : whole.length + fraction.length + 1;
  });
  return Math.max(...digits);
}

const aboveZero: Limit = { at: { whole: "", fraction: "" }, open: true };

/** Returns the range of absolute values on one side of zero. */
function side(from: Bound | null, to: Bound | null, digitsMax: number, digits?: number): MagnitudeRange {
  const sign = from === null ? -1 : readSign(from.at);
  const low = from !== null && (sign > 0 || (sign === 0 && from.open)) ? limit(from) : null;
  const ofHigh = to?.at instanceof ExactNumber ? to.at.magnitude.whole.length : 0;
  const wholeMax = digits ?? Math.min(309, Math.max(wholeDigitsMax, (low?.at.whole.length ?? 0) + 1, ofHigh));
  const most = to ?? (wholeMax === 309 ? { at: Number.MAX_VALUE, open: false } : null);
  return { low, high: most === null ? null : limit(most), wholeMax, digitsMax };
}

/**
 * Converts a bound. Where adjacent doubles differ by 1 or more, an exclusive bound becomes the inclusive
 * bound at the next double.
 */
function end(at: JsonNumber | undefined, open: boolean, direction: 1 | -1): Bound | null {
  if (typeof at !== "number" || !open || Math.abs(at) < 1e15) return exactEnd(at, open);
  return { at: neighbour(at, direction), open: false };
}

function exactEnd(at: JsonNumber | undefined, open: boolean): Bound | null {
  return at === undefined ? null : { at, open };
}

function negated(end: Bound | null): Bound | null {
  return end === null ? null : { at: negative(end.at), open: end.open };
}

function limit({ at, open }: Bound): Limit {
  return { at: toDecimal(at), open };
}

/** Returns the tightest bound. @param direction 1 for lower bounds, -1 for upper bounds */
function tightestBound(ends: readonly (Bound | null)[], direction: 1 | -1): Bound | null {
  let best: Bound | null = null;
  for (const one of ends) {
    if (one === null) continue;
    const difference = best === null ? 1 : compareNumbers(one.at, best.at) * direction;
    if (difference > 0 || (difference === 0 && one.open)) best = one;
  }
  return best;
}

/** The number of multiples that are listed one by one. */
const listedMax = 2_000;

/** Factors of the divisor, both included; null means no bound. */
interface Factors {
  readonly least: bigint | null;
  readonly most: bigint | null;
}

/** Returns the automaton of all multiples in a range that has few of them; null if it has many. */
function multiplesInRange(range: NumberRange, divisor: Divisor): Automaton | null {
  const { least, most } = factorsIn(range, divisor);
  if (least === null || most === null || most - least >= BigInt(listedMax)) return null;
  return listed(least, most, divisor, hasExactBound(range));
}

/** Returns the automaton of the multiples in a range that are nearest to zero; null if these have too many digits. */
function multiplesNearZero(range: NumberRange, divisor: Divisor): Automaton | null {
  const { least, most } = factorsIn(range, divisor);
  const count = BigInt(listedMax);
  const nearest = least !== null && least > 0n ? least : most !== null && most < 0n ? -most : 0n;
  if (String((nearest + count) * BigInt(divisor.divisor)).length > digitsApart) return null;
  if (least !== null && least > 0n) return listed(least, smaller(most, least + count), divisor);
  if (most !== null && most < 0n) return listed(larger(least, most - count), most, divisor);
  return listed(larger(least, -count / 2n), smaller(most, count / 2n), divisor);
}

function factorsIn(range: NumberRange, divisor: Divisor): Factors {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = range;
  const above = exclusiveMinimum === undefined ? null : floorFactor(exclusiveMinimum, divisor) + 1n;
  const below =
    exclusiveMaximum === undefined ? null : -floorFactor(negative(exclusiveMaximum), divisor) - 1n;
  const from = minimum === undefined ? null : -floorFactor(negative(minimum), divisor);
  const to = maximum === undefined ? null : floorFactor(maximum, divisor);
  return {
    least: above === null ? from : larger(from, above),
    most: below === null ? to : smaller(to, below),
  };
}

/** Returns the largest factor whose multiple of the divisor is at most the value. */
function floorFactor(value: JsonNumber, { divisor, scale }: Divisor): bigint {
  const { whole, fraction } = toDecimal(value);
  const digits = Math.max(scale, fraction.length);
  const size = BigInt(whole + fraction.padEnd(digits, "0"));
  const unit = BigInt(divisor) * 10n ** BigInt(digits - scale);
  return readSign(value) < 0 ? -((size + unit - 1n) / unit) : size / unit;
}

/** @param keepsAll whether multiples that a double does not keep are listed, too */
function listed(least: bigint, most: bigint, { divisor, scale }: Divisor, keepsAll = false): Automaton {
  const texts: string[] = [];
  for (let factor = least; factor <= most; factor += 1n) {
    const text = decimalText(factor * BigInt(divisor), scale);
    if (keepsAll || isExact(text)) texts.push(text);
  }
  return automatonOfTexts(texts);
}

/** Returns a number of units of 10^-scale as a decimal without trailing zeros after the point. */
function decimalText(units: bigint, scale: number): string {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, "0");
  const whole = digits.slice(0, digits.length - scale);
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, "");
  return `${units < 0n ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`;
}

/** Returns whether a decimal parses to the number that it denotes. */
function isExact(text: string): boolean {
  return text.replace(/\D/g, "").length <= digitsApart || String(Number(text)) === text;
}

/** Returns the larger number; null is smaller than any. */
function larger(a: bigint | null, b: bigint): bigint {
  return a === null || a < b ? b : a;
}

/** Returns the smaller number; null is larger than any. */
function smaller(a: bigint | null, b: bigint): bigint {
  return a === null || a > b ? b : a;
}

/** The bounds of a number and what divides it. */
interface NumberRange {
  readonly minimum?: JsonNumber;
  readonly maximum?: JsonNumber;
  readonly exclusiveMinimum?: JsonNumber;
  readonly exclusiveMaximum?: JsonNumber;
  /** Divisors, all greater than zero. */
  readonly multipleOf?: readonly number[];
  /** Numbers of which no multiple is allowed, all greater than zero. */
  readonly notMultipleOf?: readonly number[];
  /** Whether only integers are allowed, written without point and exponent. */
  readonly integer: boolean;
}

/** Whether a bound of the range is a number that a double does not keep. */
function hasExactBound(range: NumberRange): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = range;
  return [minimum, maximum, exclusiveMinimum, exclusiveMaximum].some((bound) => bound instanceof ExactNumber);
}
