/** How values are printed: as Python's `str` and `repr` do. */
import type { Meter } from "../meter.js";
import {
  Callable,
  Dictionary,
  Float,
  Namespace,
  Tuple,
  Undefined,
  View,
  type Sequence,
  type Value,
} from "./values.js";

/** Returns a value as `{{ value }}` prints it. */
export function toText(value: Value, meter: Meter): string {
  if (typeof value === "string") return value;
  return value instanceof Undefined ? "" : represented(value, meter);
}

/** Returns a value as it is printed inside a list: texts have quotes. */
export function represented(value: Value, meter: Meter): string {
  meter.countSteps(1);
  if (value === null) return "None";
  if (typeof value === "string") return quoted(value, meter);
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "number") return integerText(value);
  if (value instanceof Float) return floatText(value.value);
  if (value instanceof Undefined) return "Undefined";
  if (value instanceof Callable) return value.printed();
  if (value instanceof Namespace) return `<Namespace ${represented(new Dictionary(value.values), meter)}>`;
  return value instanceof Dictionary ? dictionaryText(value, meter) : sequenceText(value, meter);
}

function dictionaryText(value: Dictionary, meter: Meter): string {
  let text = "";
  for (const [key, item] of value.entries()) {
    text += `${text === "" ? "" : ", "}${represented(key, meter)}: ${represented(item, meter)}`;
    meter.checkText(text.length);
  }
  return `{${text}}`;
}

function sequenceText(value: Sequence, meter: Meter): string {
  if (value instanceof View && value.printed !== undefined) return value.printed;
  let text = "";
  for (const [at, item] of value.items.entries()) {
    text += `${at === 0 ? "" : ", "}${represented(item, meter)}`;
    meter.checkText(text.length);
  }
  if (value instanceof Tuple) return value.items.length === 1 ? `(${text},)` : `(${text})`;
  return value instanceof View ? `${value.kind}([${text}])` : `[${text}]`;
}

export function integerText(value: number): string {
  return Number.isSafeInteger(value) ? String(value) : BigInt(value).toString();
}

/** Returns the shortest digits that give the number again, in Python's notation. */
export function floatText(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
  if (Object.is(value, -0)) return "-0.0";
  const size = Math.abs(value);
  if (value !== 0 && (size < 1e-4 || size >= 1e16))
    return value.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
  const text = String(value);
  return text.includes(".") ? text : `${text}.0`;
}

const escapes: ReadonlyMap<string, string> = new Map([
  ["\\", "\\\\"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

function quoted(text: string, meter: Meter): string {
  meter.countReading(text);
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const inside = text.replace(/[\\'\p{C}\p{Z}]/gu, (character) => {
    if (character === " ") return character;
    if (character === "'") return quote === "'" ? "\\'" : "'";
    return escapes.get(character) ?? escaped(character.codePointAt(0) ?? 0);
  });
  meter.checkText(inside.length);
  return `${quote}${inside}${quote}`;
}

function escaped(code: number): string {
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, "0")}`;
  if (code < 0x10000) return `\\u${code.toString(16).padStart(4, "0")}`;
  return `\\U${code.toString(16).padStart(8, "0")}`;
}
