/** Writes one call as its format does, without the marks around it. */
import type { WrittenCall } from "../../../core/generation.js";
import { ExactNumber } from "../../../grammar/regular/number/decimal.js";
import { jsonText, parseSchemaText } from "../../../grammar/schema/json-text.js";
import type { JsonValue } from "../../../grammar/schema/node.js";
import {
  markText,
  withKey,
  type CallBody,
  type EnvelopeBody,
  type NotationBody,
  type TaggedBody,
} from "./syntax.js";

export function callText(body: CallBody, call: WrittenCall): string {
  switch (body.type) {
    case "envelope":
      return envelopeText(body, call);
    case "bare-name":
      return call.name + markText(body.afterName) + call.arguments;
    case "tagged":
      return call.name + markText(body.afterName) + taggedText(body, readEntries(call.arguments));
    case "notation": {
      const members = readEntries(call.arguments).map(
        ([key, value]) => `${key}${body.assign}${notationText(body, value, true)}`,
      );
      return `${call.name}${body.open}${members.join(body.separator)}${body.close}`;
    }
  }
}

function envelopeText(
  { wrapper, before = "", nameKey, argumentsKey, argumentsFirst }: EnvelopeBody,
  { name, arguments: given }: WrittenCall,
): string {
  const pair = [`"${nameKey}": ${JSON.stringify(name)}`, `"${argumentsKey}": ${given}`];
  const inner = `{${before}${(argumentsFirst === true ? pair.reverse() : pair).join(", ")}}`;
  return wrapper === undefined ? inner : `{"${wrapper}": ${inner}}`;
}

function taggedText(body: TaggedBody, entries: readonly (readonly [string, unknown])[]): string {
  const { keyOpen, keyClose, valueType, padding, valueClose, python, quoted, textMarks } = body;
  return entries
    .map(([key, value]) => {
      const isString = typeof value === "string";
      const isVerbatim = isString && quoted !== true;
      const marked =
        isVerbatim && textMarks !== undefined && /[<&\n]/.test(value)
          ? textMarks.open + value + textMarks.close
          : value;
      const text = isVerbatim
        ? String(marked)
        : python === true
          ? literalText(value)
          : jsonText(value as JsonValue);
      const keyEnd =
        isString || valueType === undefined
          ? markText(keyClose)
          : valueType.before + valueType.other + valueType.after;
      return `${keyOpen}${key}${keyEnd}${padding}${text}${padding}${withKey(markText(valueClose), key)}`;
    })
    .join("");
}

function notationText(body: NotationBody, value: unknown, isOuter: boolean): string {
  const { nested, quote, escapes, assign, separator, pythonWords } = body;
  if (typeof value === "string" && (isOuter || nested === "same"))
    return escapes ? JSON.stringify(value) : `${quote}${value}${quote}`;
  if (typeof value !== "object" || value === null)
    return isOuter && pythonWords ? literalText(value) : jsonText(value as JsonValue);
  if (nested === "json") return jsonText(value as JsonValue);
  if (nested === "python") return literalText(value);
  if (Array.isArray(value))
    return `[${value.map((item) => notationText(body, item, false)).join(separator)}]`;
  const members = Object.entries(value).map(
    ([key, item]) => `${key}${assign}${notationText(body, item, false)}`,
  );
  return `{${members.join(separator)}}`;
}

/** Returns a value as a literal of Python. */
function literalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literalText).join(", ")}]`;
  if (typeof value === "boolean") return value ? "True" : "False";
  if (value === null) return "None";
  if (typeof value !== "object" || value instanceof ExactNumber) return jsonText(value as JsonValue);
  const members = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${literalText(item)}`);
  return `{${members.join(", ")}}`;
}

/** A text that is no object, such as a cut one, is written as one argument, so that nothing of it is lost. */
function readEntries(argumentsText: string): readonly (readonly [string, unknown])[] {
  const parsed: unknown = parseJsonOr(argumentsText, null, parseSchemaText);
  const isObject = typeof parsed === "object" && parsed !== null && !Array.isArray(parsed);
  return isObject ? Object.entries(parsed) : [["arguments", argumentsText]];
}

/**
 * Returns the JSON text of a call's arguments. Models that leave them out, or write nothing or `null`, call a tool without arguments.
 */
export function completeArguments(written: string): string {
  return /^\s*(?:null)?\s*$/.test(written) ? "{}" : written;
}

/** Whether a text is the JSON text of an object, as arguments must be. */
export function isObjectText(text: string): boolean {
  return isArgumentsObject(parseJsonOr(text, null));
}

/** Whether a value is an object, as arguments must be. */
export function isArgumentsObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const argumentValues = new WeakMap<WrittenCall, { readonly value: unknown }>();

/** Returns the value of a call's arguments, or their text where it is no JSON. A call is parsed once, however often it is rendered. */
export function readArguments(call: WrittenCall): unknown {
  const known = argumentValues.get(call);
  if (known !== undefined) return known.value;
  const text = completeArguments(call.arguments);
  const value = parseJsonOr(text, text);
  argumentValues.set(call, { value });
  return value;
}

/** Parses a JSON text; returns `otherwise` if it is invalid. */
function parseJsonOr(
  text: string,
  otherwise: unknown,
  parse: (text: string) => unknown = JSON.parse,
): unknown {
  try {
    return parse(text);
  } catch {
    return otherwise;
  }
}
