/** Numbers in texts: fixed and scientific notation, and what Python reads as a number. */
import { TemplateError } from "../values/values.js";

const decimalsMax = 100;

/** Rounds as Python does: halves that are exact go to the even digit. */
export function fixed(value: number, decimals: number): string {
  if (decimals > decimalsMax) throw new TemplateError("precision too big");
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
  const size = Math.abs(value);
  // A half is exact only where a double keeps it; `toFixed` rounds it up, Python to the even digit.
  const scaled = size * 10 ** decimals;
  const isHalf = decimals <= 3 && Number.isSafeInteger(scaled * 2) && scaled % 1 === 0.5;
  const isExact = isHalf && scaled / 10 ** decimals === size && (size * 2 ** (decimals + 1)) % 1 === 0;
  const even = 2 * Math.round(scaled / 2);
  const digits =
    size >= 1e21
      ? `${BigInt(size)}${decimals > 0 ? `.${"0".repeat(decimals)}` : ""}`
      : (isExact ? even / 10 ** decimals : size).toFixed(decimals);
  return value < 0 || Object.is(value, -0) ? `-${digits}` : digits;
}

export function scientific(value: number, decimals: number): string {
  if (decimals > decimalsMax) throw new TemplateError("precision too big");
  return value.toExponential(decimals).replace(/e([+-])(\d)$/, "e$10$2");
}

/** Returns the shorter of both notations, without zeros at the end. */
export function general(value: number, precision: number): string {
  const digits = Math.max(1, precision);
  if (value === 0) return "0";
  const exponent = Number(value.toExponential(digits - 1).split("e")[1]);
  if (exponent < -4 || exponent >= digits) return scientific(value, digits - 1).replace(/\.?0+e/, "e");
  const text = fixed(value, digits - 1 - exponent);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** Returns the integer that Python's `int(text, base)` reads, or null. */
export function parsedInteger(text: string, base: number): number | null {
  const found = /^([+-]?)(0[xX]|0[oO]|0[bB])?([\da-zA-Z]+(?:_[\da-zA-Z]+)*)$/.exec(text.trim());
  if (found === null) return null;
  const [, sign = "", prefix = "", digits = ""] = found;
  const prefixBase = { x: 16, o: 8, b: 2 }[prefix.charAt(1).toLowerCase()];
  const isPrefixed = prefixBase !== undefined && (base === 0 || base === prefixBase);
  const all = (isPrefixed ? digits : prefix + digits).replaceAll("_", "").toLowerCase();
  const radix = isPrefixed ? prefixBase : base === 0 ? 10 : base;
  let value = 0;
  for (const digit of all) {
    const next = parseInt(digit, 36);
    if (Number.isNaN(next) || next >= radix) return null;
    value = value * radix + next;
  }
  return sign === "-" ? 0 - value : value;
}

/** Returns the number that Python's `float(text)` reads, or null. */
export function parsedFloat(text: string): number | null {
  const trimmed = text.trim().replace(/(\d)_(?=\d)/g, "$1");
  if (/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(trimmed)) return Number(trimmed);
  const named = /^([+-]?)(inf|infinity|nan)$/i.exec(trimmed);
  if (named === null) return null;
  if (named[2]?.toLowerCase() === "nan") return NaN;
  return named[1] === "-" ? -Infinity : Infinity;
}
