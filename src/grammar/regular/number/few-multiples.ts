import { type Automaton, automatonOfTexts } from "../automaton.js";
import { toDecimal, negative, readSign, type JsonNumber } from "./decimal.js";
import type { Divisor } from "./multiples.js";
import { hasExactBound, type NumberRange } from "./range.js";

/** The number of multiples that are listed one by one. */
const listedMax = 2_000;
/** Decimals with so few digits are all different doubles. */
const digitsApart = 15;

/** Factors of the divisor, both included; null means no bound. */
interface Factors {
  readonly least: bigint | null;
  readonly most: bigint | null;
}

/** Returns the automaton of all multiples in a range that has few of them; null if it has many. */
export function multiplesInRange(range: NumberRange, divisor: Divisor): Automaton | null {
  const { least, most } = factorsIn(range, divisor);
  if (least === null || most === null || most - least >= BigInt(listedMax)) return null;
  return listed(least, most, divisor, hasExactBound(range));
}

/** Returns the automaton of the multiples in a range that are nearest to zero; null if these have too many digits. */
export function multiplesNearZero(range: NumberRange, divisor: Divisor): Automaton | null {
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
