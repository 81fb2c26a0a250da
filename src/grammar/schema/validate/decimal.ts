import { decimalOf, type JsonNumber } from "../../regular/number/decimal.js";

/**
 * Returns whether a number is an integer multiple of another, decided on decimal digits: 0.3 is a multiple of
 * 0.1.
 */
export function isMultiple(value: JsonNumber, of: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(of)) return Number(value) % of === 0;
  const left = decimal(value);
  const right = decimal(of);
  const exponent = Math.min(left.exponent, right.exponent);
  return scaled(left, exponent) % scaled(right, exponent) === 0n;
}

interface Decimal {
  readonly digits: bigint;
  /** The absolute value is digits * 10 ** exponent. */
  readonly exponent: number;
}

function decimal(value: JsonNumber): Decimal {
  const { whole, fraction } = decimalOf(value);
  return { digits: BigInt(whole + fraction), exponent: -fraction.length };
}

function scaled({ digits, exponent }: Decimal, to: number): bigint {
  return digits * 10n ** BigInt(exponent - to);
}
