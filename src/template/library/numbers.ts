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
