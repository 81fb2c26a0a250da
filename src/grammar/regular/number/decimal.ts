/**
 * An absolute value in decimal digits, without leading zeros before the point ("" for zero) and without
 * trailing zeros after it.
 */
export interface Decimal {
  readonly whole: string;
  readonly fraction: string;
}

/** Returns the shortest decimal that parses to |value|; `value` must be finite. */
export function decimalOf(value: number): Decimal {
  const [mantissa = "", exponent = "0"] = Math.abs(value).toExponential().split("e");
  const digits = mantissa.replace(".", "").replace(/0+$/, "");
  const point = Number(exponent) + 1;
  if (digits === "") return { whole: "", fraction: "" };
  if (point <= 0) return { whole: "", fraction: "0".repeat(-point) + digits };
  return { whole: digits.slice(0, point).padEnd(point, "0"), fraction: digits.slice(point) };
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
