/** Python's two ways to format a text: the operator `%` and the method `format`. */
import { represented, toText } from "../values/text.js";
import type { Runtime } from "../values/runtime.js";
import {
  lengthOfText,
  toNumber,
  orElse,
  TemplateError,
  typeName,
  Undefined,
  type Arguments,
  type Dictionary,
  type Value,
} from "../values/values.js";
import { fixed, scientific } from "./numbers.js";

const directive = /%(?:\(([^)]*)\))?([-+ #0]*)(\*|\d+)?(?:\.(\*|\d+))?[hlL]?([a-zA-Z%])/g;

/** Formats with the operator `%`. @throws TemplateError when arguments are missing or of another type */
export function formatted(
  runtime: Runtime,
  text: string,
  { positional, named }: { positional: readonly Value[]; named: Dictionary | null },
): string {
  let used = 0;
  const next = (): Value => {
    const value = positional[used];
    if (value === undefined) throw new TemplateError("not enough arguments for format string");
    used += 1;
    return value;
  };
  const size = (given: string | undefined): number | null =>
    given === undefined ? null : given === "*" ? (toNumber(next()) ?? 0) : Number(given);
  const result = text.replace(
    directive,
    (
      _,
      key: string | undefined,
      flags: string,
      width: string | undefined,
      precision: string | undefined,
      type: string,
    ) => {
      const [wide, digits] = [size(width), size(precision)];
      if (type === "%") return "%";
      const value = key === undefined ? next() : orElse(named?.get(key), () => missingKey(key));
      const sign = flags.includes("+") ? "+" : flags.includes(" ") ? " " : "";
      const made = converted(runtime, value, { type, digits, sign });
      const fill = flags.includes("0") && toNumber(value) !== null && type !== "s" ? "0" : " ";
      return padded(runtime, made, wide ?? 0, flags.includes("-") ? "<" : fill === "0" ? "=" : ">", fill);
    },
  );
  if (used < positional.length && named === null)
    throw new TemplateError("not all arguments converted during string formatting");
  return result;
}

function missingKey(key: string): never {
  throw new TemplateError(`'${key}'`);
}

interface Conversion {
  readonly type: string;
  readonly digits: number | null;
  readonly sign: string;
}

function converted(runtime: Runtime, value: Value, { type, digits, sign }: Conversion): string {
  if (type === "s" || type === "r" || type === "a") {
    const text = type === "s" ? toText(value, runtime.meter) : represented(value, runtime.meter);
    return digits === null ? text : text.slice(0, digits);
  }
  if (type === "c")
    return typeof value === "number" ? String.fromCodePoint(value) : toText(value, runtime.meter);
  const number = toNumber(value);
  if (number === null)
    throw new TemplateError(`%${type} format: a real number is required, not ${typeName(value)}`);
  const text = numberText(number, type, digits);
  return number < 0 || sign === "" ? text : sign + text;
}

function numberText(number: number, type: string, digits: number | null): string {
  switch (type) {
    case "d":
    case "i":
    case "u":
      return fixed(Math.trunc(number), 0);
    case "f":
    case "F":
      return fixed(number, digits ?? 6);
    case "e":
      return scientific(number, digits ?? 6);
    case "E":
      return scientific(number, digits ?? 6).toUpperCase();
    case "g":
    case "G":
      return general(number, digits ?? 6);
    case "x":
      return number.toString(16);
    case "X":
      return number.toString(16).toUpperCase();
    case "o":
      return number.toString(8);
    case "b":
      return number.toString(2);
    case "n":
      return general(number, digits ?? 6);
    case "%":
      return `${fixed(number * 100, digits ?? 6)}%`;
    default:
      throw new TemplateError(`unsupported format character '${type}'`);
  }
}

/** @param align as in Python: `<`, `>`, `^`, or `=` for fillings behind the sign */
function padded(runtime: Runtime, text: string, width: number, align: string, fill: string): string {
  runtime.meter.checkText(Math.max(text.length, width));
  const missing = width - lengthOfText(text);
  if (missing <= 0) return text;
  if (align === "<") return text + fill.repeat(missing);
  if (align === "^") return fill.repeat(Math.floor(missing / 2)) + text + fill.repeat(Math.ceil(missing / 2));
  const sign = align === "=" && /^[-+ ]/.test(text) ? text.charAt(0) : "";
  return sign + fill.repeat(missing) + text.slice(sign.length);
}

const field = /\{\{|\}\}|\{([^{}!:]*)(?:!([rsa]))?(?::((?:[^{}]|\{[^{}]*\})*))?\}|[{}]/g;

/** Formats with the method `format`. */
export function formattedFields(runtime: Runtime, text: string, args: Arguments): string {
  let automatic = 0;
  const findValue = (path: string): Value => {
    const [first = "", ...rest] = path.replaceAll("]", "").split(/[.[]/);
    const index = first === "" ? automatic++ : Number(first);
    const value = Number.isInteger(index) ? args.positional[index] : args.named.get(first);
    if (value === undefined)
      throw new TemplateError(Number.isInteger(index) ? "Replacement index out of range" : `'${first}'`);
    return rest.reduce<Value>(
      (owner, name) => runtime.item(owner, /^\d+$/.test(name) ? Number(name) : name),
      value,
    );
  };
  return text.replace(field, (whole, path?: string, conversion?: string, specification = "") => {
    if (whole === "{{" || whole === "}}") return whole.charAt(0);
    if (path === undefined) throw new TemplateError(`Single '${whole}' encountered in format string`);
    const value = findValue(path);
    const wanted = String(specification).replace(/\{([^{}]*)\}/g, (_, inner: string) =>
      toText(findValue(inner), runtime.meter),
    );
    const shown =
      conversion === undefined
        ? value
        : converted(runtime, value, { type: conversion, digits: null, sign: "" });
    return specified(runtime, shown, wanted);
  });
}

const specificationPattern = /^(?:(.)?([<>=^]))?([-+ ])?#?(0)?(\d+)?([,_])?(?:\.(\d+))?([a-zA-Z%])?$/su;

function specified(runtime: Runtime, value: Value, specification: string): string {
  if (specification === "") return toText(value, runtime.meter);
  const found = specificationPattern.exec(specification);
  if (found === null || value === null || value instanceof Undefined)
    throw new TemplateError(`Invalid format specifier '${specification}'`);
  const [, fill, align, sign = "-", zero, width, group, precision, type] = found;
  const digits = precision === undefined ? null : Number(precision);
  const isNumber = toNumber(value) !== null && typeof value !== "boolean";
  const kind = type ?? (isNumber ? (typeof value === "number" ? "d" : digits === null ? "s" : "g") : "s");
  const made = converted(runtime, value, { type: kind, digits, sign: sign === "-" ? "" : sign });
  const whole = group === undefined ? made : made.replace(/\d(?=(\d{3})+(?!\d))(?<!\.\d*)/g, `$&${group}`);
  return padded(
    runtime,
    whole,
    Number(width ?? 0),
    align ?? (zero === undefined ? (isNumber ? ">" : "<") : "="),
    fill ?? (zero === undefined ? " " : "0"),
  );
}

/** Returns the shorter of both notations, without zeros at the end. */
function general(value: number, precision: number): string {
  const digits = Math.max(1, precision);
  if (value === 0) return "0";
  const exponent = Number(value.toExponential(digits - 1).split("e")[1]);
  if (exponent < -4 || exponent >= digits) return scientific(value, digits - 1).replace(/\.?0+e/, "e");
  const text = fixed(value, digits - 1 - exponent);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}
