/**
 * An absolute value in decimal digits, without leading zeros before the point ("" for zero) and without
 * trailing zeros after it.
 */
export interface Decimal {
  readonly whole: string;
  readonly fraction: string;
}

/**
 * A number that is not the shortest decimal of any double, such as 9007199254740993. A `number` stands for
 * its shortest decimal, so that every number of a JSON text is exactly one of the two.
 */
export class ExactNumber {
  constructor(
    readonly negative: boolean,
    readonly magnitude: Decimal,
  ) {}

  /** Returns the JSON text, without an exponent. */
  toString(): string {
    const { whole, fraction } = this.magnitude;
    return `${this.negative ? "-" : ""}${whole === "" ? "0" : whole}${fraction === "" ? "" : `.${fraction}`}`;
  }
}

export type JsonNumber = number | ExactNumber;

/** Every decimal with so few digits is the shortest decimal of a double. */
const digitsKept = 15;
/** Characters that a number may have. */
const charactersMax = 400;

/** Returns |value|, for a `number` the shortest decimal that parses to it; `value` must be finite. */
export function toDecimal(value: JsonNumber): Decimal {
  if (typeof value !== "number") return value.magnitude;
  const [mantissa = "", exponent = "0"] = Math.abs(value).toExponential().split("e");
  return decimalAt(mantissa.replace(".", ""), Number(exponent) + 1);
}

/** Returns the decimal with these digits, `point` of them before the point. */
function decimalAt(all: string, point: number): Decimal {
  const significant = all.replace(/^0+/, "");
  const before = point - (all.length - significant.length);
  const digits = significant.replace(/0+$/, "");
  if (digits === "") return { whole: "", fraction: "" };
  if (before <= 0) return { whole: "", fraction: "0".repeat(-before) + digits };
  return { whole: digits.slice(0, before).padEnd(before, "0"), fraction: digits.slice(before) };
}

/**
 * Reads a number of a JSON text without loss. Returns NaN for a number that is out of range: beyond the largest
 * double, nearer to zero than the smallest, or with too many digits.
 */
export function readNumber(literal: string): JsonNumber {
  const value = Number(literal);
  if (literal.length <= digitsKept && !/e/i.test(literal)) return value;
  const [mantissa = "", exponent = "0"] = literal.replace(/^-/, "").split(/e/i);
  if (!/[1-9]/.test(mantissa)) return value;
  if (!Number.isFinite(value) || value === 0 || literal.length > charactersMax) return NaN;
  const [whole = "", fraction = ""] = mantissa.split(".");
  const magnitude = decimalAt(whole + fraction, whole.length + Number(exponent));
  const kept = toDecimal(value);
  if (kept.whole === magnitude.whole && kept.fraction === magnitude.fraction) return value;
  return new ExactNumber(value < 0, magnitude);
}

/** Returns a negative number, zero or a positive number as `a` is less than, equal to or more than `b`; both finite. */
export function compareNumbers(a: JsonNumber, b: JsonNumber): number {
  if (typeof a === "number" && typeof b === "number") return a < b ? -1 : a > b ? 1 : 0;
  const sign = readSign(a);
  if (sign !== readSign(b) || sign === 0) return sign - readSign(b);
  return sign * compareDecimals(toDecimal(a), toDecimal(b));
}

function compareDecimals(a: Decimal, b: Decimal): number {
  if (a.whole.length !== b.whole.length) return a.whole.length - b.whole.length;
  const [left, right] = [a.whole + a.fraction, b.whole + b.fraction];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Returns the larger number; undefined is no bound. */
export function greatest(a: JsonNumber | undefined, b: JsonNumber | undefined): JsonNumber | undefined {
  if (a === undefined) return b;
  return b === undefined || compareNumbers(a, b) >= 0 ? a : b;
}

/** Returns the smaller number; undefined is no bound. */
export function least(a: JsonNumber | undefined, b: JsonNumber | undefined): JsonNumber | undefined {
  if (a === undefined) return b;
  return b === undefined || compareNumbers(a, b) <= 0 ? a : b;
}

/** Returns -1, 0 or 1. */
export function readSign(value: JsonNumber): number {
  if (typeof value === "number") return Math.sign(value);
  return value.negative ? -1 : 1;
}

/** Returns the number with the opposite sign. */
export function negative(value: JsonNumber): JsonNumber {
  return typeof value === "number" ? -value : new ExactNumber(!value.negative, value.magnitude);
}

export function isInteger(value: JsonNumber): boolean {
  return typeof value === "number" ? Number.isInteger(value) : value.magnitude.fraction === "";
}

/**
 * Returns the next double towards positive infinity, or with -1 towards negative infinity; `value` must be
 * finite.
 */
export function neighbour(value: number, direction: 1 | -1): number {
  if (value === 0) return direction * Number.MIN_VALUE;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  view.setBigInt64(0, view.getBigInt64(0) + BigInt(value > 0 ? direction : -direction));
  return view.getFloat64(0);
}
