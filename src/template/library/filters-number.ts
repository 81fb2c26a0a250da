/** Filters for numbers. */
import { textArgument } from "../values/arguments.js";
import {
  defined,
  Float,
  toInteger,
  toNumber,
  TemplateError,
  typeName,
  type Value,
} from "../values/values.js";
import { filter, type NamedFilter } from "./filter.js";
import { fixed } from "./numbers.js";

export const numberFilters: readonly NamedFilter[] = [
  filter("int", ["default", "base"], (_, value, [otherwise = 0, base = 10]) => {
    const number = defined(value);
    const read =
      typeof number === "string"
        ? (parsedInteger(number, toInteger(base)) ?? truncated(parsedFloat(number)))
        : truncated(toNumber(number));
    return read ?? otherwise;
  }),
  filter("float", ["default"], (_, value, [otherwise = new Float(0)]) => {
    const given = defined(value);
    const number = typeof given === "string" ? parsedFloat(given) : toNumber(given);
    return number === null ? otherwise : new Float(number);
  }),
  filter("abs", [], (_, value) => {
    const size = Math.abs(required(value, "abs()"));
    return value instanceof Float ? new Float(size) : size;
  }),
  filter("round", ["precision", "method"], (_, value, [precision = 0, method = "common"]) => {
    const number = required(value, "round()");
    const digits = toInteger(precision);
    const factor = 10 ** digits;
    switch (textArgument(method, "method")) {
      case "ceil":
        return new Float(Math.ceil(number * factor) / factor);
      case "floor":
        return new Float(Math.floor(number * factor) / factor);
      case "common": {
        const rounded =
          digits >= 0 ? Number(fixed(number, digits)) : Number(fixed(number * factor, 0)) / factor;
        return value instanceof Float ? new Float(rounded) : rounded;
      }
      default:
        throw new TemplateError("method must be common, ceil or floor");
    }
  }),
  filter("filesizeformat", ["binary"], (_, value, [binary = false]) => {
    const number = typeof value === "string" ? parsedFloat(value) : toNumber(value);
    return fileSize(number ?? required(value, "float()"), binary === true);
  }),
];

function truncated(number: number | null): number | null {
  return number === null || !Number.isFinite(number) ? null : Math.trunc(number) + 0;
}

function required(value: Value, name: string): number {
  const number = toNumber(defined(value));
  if (number === null) throw new TemplateError(`bad operand type for ${name}: '${typeName(value)}'`);
  return number;
}

function fileSize(bytes: number, isBinary: boolean): string {
  const base = isBinary ? 1024 : 1000;
  if (bytes === 1) return "1 Byte";
  if (bytes < base) return `${Math.trunc(bytes)} Bytes`;
  const letters = isBinary ? "KMGTPEZY" : "kMGTPEZY";
  const step = Math.min(letters.length, Math.floor(Math.log(bytes) / Math.log(base)));
  return `${fixed(bytes / base ** step, 1)} ${letters.charAt(step - 1)}${isBinary ? "iB" : "B"}`;
}

/** Returns the number that Python's `float(text)` reads, or null. */
function parsedFloat(text: string): number | null {
  const trimmed = text.trim().replace(/(\d)_(?=\d)/g, "$1");
  if (/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(trimmed)) return Number(trimmed);
  const named = /^([+-]?)(inf|infinity|nan)$/i.exec(trimmed);
  if (named === null) return null;
  if (named[2]?.toLowerCase() === "nan") return NaN;
  return named[1] === "-" ? -Infinity : Infinity;
}

/** Returns the integer that Python's `int(text, base)` reads, or null. */
function parsedInteger(text: string, base: number): number | null {
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
