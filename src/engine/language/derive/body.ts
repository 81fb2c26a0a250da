/** Derives the body of a call, without the marks around it, from a text in which a probe's call is written. */
import { isDeepStrictEqual } from "node:util";
import { readJsonValue } from "../tools/parse/json.js";
import { AnswerSource } from "../tools/parse/source.js";
import {
  type CallBody,
  type EnvelopeBody,
  type EnvelopeMember,
  type NotationBody,
  markText,
  withKey,
  type TaggedBody,
  type ValueType,
  keyPlace,
} from "../tools/syntax.js";
import { splitMark, sharedEnd, sharedStart, withoutSharedMarks } from "./pieces.js";
import type { ProbeCall } from "./probes.js";

/** Returns the body of a call that is written between two places; null where none is recognised. */
export function findBody(text: string, call: ProbeCall, from: number, to: number): FoundBody | null {
  const objects = jsonObjectsIn(text, from, to);
  return (
    findEnvelope(objects, call) ??
    findBareName(text, objects, call, from) ??
    taggedBody(text, call, from, to) ??
    bracketBody(text, call, from, to)
  );
}

function findEnvelope(objects: readonly FoundJson[], call: ProbeCall): FoundBody | null {
  for (const { start, end, value } of objects) {
    const body = readEnvelope(value, call);
    if (body !== null) return { body, start, end };
    for (const [wrapper, inner] of Object.entries(value)) {
      if (typeof inner !== "object" || inner === null || Array.isArray(inner)) continue;
      const wrapped = readEnvelope(inner as Record<string, unknown>, call);
      if (wrapped === null) continue;
      const members = [...readMembers(value, [wrapper], call, true), ...(wrapped.members ?? [])];
      return { body: { ...wrapped, wrapper, members }, start, end };
    }
  }
  return null;
}

function readEnvelope(value: Readonly<Record<string, unknown>>, call: ProbeCall): EnvelopeBody | null {
  const keys = Object.keys(value);
  const nameKey = keys.find((key) => value[key] === call.name);
  const argumentsKey = keys.find((key) => isArguments(value[key], call));
  if (nameKey === undefined || argumentsKey === undefined) return null;
  const argumentsFirst = keys.indexOf(argumentsKey) < keys.indexOf(nameKey);
  return {
    type: "envelope",
    nameKey,
    argumentsKey,
    members: readMembers(
      value,
      argumentsFirst ? [argumentsKey, nameKey] : [nameKey, argumentsKey],
      call,
      false,
    ),
    argumentsFirst,
    argumentsMayBeText: typeof value[argumentsKey] === "string",
  };
}

/** Arguments may be written as a text with JSON. */
function isArguments(value: unknown, call: ProbeCall): boolean {
  return isDeepStrictEqual(value, call.arguments) || value === JSON.stringify(call.arguments);
}

/** Returns the members besides the main ones. A value that may be an id or a number of the call is not constant. */
function readMembers(
  value: Readonly<Record<string, unknown>>,
  main: readonly string[],
  call: ProbeCall,
  outer: boolean,
): readonly EnvelopeMember[] {
  const keys = Object.keys(value);
  const [first = 0, last = first] = main.map((key) => keys.indexOf(key));
  return keys
    .filter((key) => !main.includes(key))
    .map((key) => {
      const at = keys.indexOf(key);
      const place = at < first ? "first" : at < last ? "between" : "last";
      const each = value[key];
      const isConstant = typeof each === "string" && each !== call.id && !/\d/.test(each);
      return { key, place, outer, value: isConstant ? JSON.stringify(each) : undefined };
    });
}

function findBareName(
  text: string,
  objects: readonly FoundJson[],
  call: ProbeCall,
  from: number,
): FoundBody | null {
  const start = text.indexOf(call.name, from);
  const found = objects.find(
    (object) => object.start > start && isDeepStrictEqual(object.value, call.arguments),
  );
  if (start < 0 || found === undefined) return null;
  const middle = text.slice(start + call.name.length, found.start);
  return { body: { type: "bare-name", afterName: splitMark(middle) }, start, end: found.end, middle };
}

/**
 * Returns the body that both calls have: where the texts between name and arguments differ, they differ by an id. Returns null where the
 * calls have no common body.
 */
export function commonBody(first: FoundBody, second: FoundBody): CallBody | null {
  const { body, middle } = first;
  if ((body.type !== "bare-name" && body.type !== "tagged") || middle === undefined)
    return isDeepStrictEqual(body, second.body) ? body : null;
  if (middle === second.middle) return isDeepStrictEqual(body, second.body) ? body : null;
  const parts = aroundId(middle, second.middle ?? "");
  if (parts === null || body.type !== second.body.type) return null;
  const { mark, characters, close } = parts;
  const changed = { ...body, afterName: splitMark(close), idAfterName: { mark, characters } };
  return isDeepStrictEqual({ ...second.body, afterName: body.afterName }, body) ? changed : null;
}

/** Returns what two texts share before and after the ids by which they differ. */
function aroundId(
  first: string,
  second: string,
): { readonly mark: string; readonly characters: string; readonly close: string } | null {
  const mark = sharedStart(first, second);
  const close = sharedEnd(first.slice(mark.length), second.slice(mark.length));
  const ids = [first, second].map((each) => each.slice(mark.length, each.length - close.length));
  if (mark.trim() === "" || close.trim() === "" || ids.some((id) => !/^[\w.-]+$/.test(id))) return null;
  return { mark, close, characters: ids.every((id) => /^\d+$/.test(id)) ? "0-9" : "a-zA-Z0-9_.-" };
}

interface FoundJson {
  readonly start: number;
  readonly end: number;
  readonly value: Readonly<Record<string, unknown>>;
}

/** Objects that are tried in one text. */
const objectsMax = 64;

/** Returns the objects that begin between two places of a text, in order; also those inside of others. */
function jsonObjectsIn(text: string, from: number, to: number): readonly FoundJson[] {
  const found: FoundJson[] = [];
  let start = text.indexOf("{", from);
  for (let count = 0; start >= 0 && start < to && count < objectsMax; count++) {
    const end = jsonEnd(text, start);
    if (end !== null)
      found.push({ start, end, value: JSON.parse(text.slice(start, end)) as Record<string, unknown> });
    start = text.indexOf("{", start + 1);
  }
  return found;
}

/** Returns where the value ends that begins here; null when it is not JSON. */
function jsonEnd(text: string, start: number): number | null {
  const source = new AnswerSource();
  source.feed(text);
  source.at = start;
  source.ended = true;
  const step = readJsonValue(source).next();
  return step.done === true && step.value ? source.at : null;
}

const brackets: Readonly<Record<string, string>> = { "(": ")", "{": "}", "[": "]" };

/** Derives a body whose arguments are in brackets after the name. */
function bracketBody(text: string, call: ProbeCall, from: number, to: number): FoundBody | null {
  const texts = argumentTexts(text, call, from, to);
  if (texts === null) return null;
  const { head, beforeString, beforeNumber, afterString, afterNumber } = texts;
  const close = brackets[head.slice(-1)];
  const assign = beforeNumber.trim();
  const quote = beforeString.startsWith(beforeNumber) ? beforeString.slice(beforeNumber.length) : "";
  if (close === undefined || quote === "" || !/^[=:]$/.test(assign)) return null;
  if (afterNumber.trim() !== "," || afterString !== quote + afterNumber || !text.startsWith(quote, texts.end))
    return null;
  const at = text.indexOf(close, texts.end + quote.length);
  if (at < 0) return null;
  const body: NotationBody = {
    type: "notation",
    open: head,
    close,
    assign: beforeNumber,
    separator: afterNumber,
    quote,
    escapes: quote.length === 1,
    nested: quote.length === 1 ? "json" : "same",
    pythonWords: false,
  };
  return { body, start: texts.start, end: at + close.length };
}

/** Derives a body whose arguments are each written between marks. */
function taggedBody(text: string, call: ProbeCall, from: number, to: number): FoundBody | null {
  const texts = argumentTexts(text, call, from, to);
  if (texts === null) return null;
  const rest = text.slice(texts.end);
  const keyOpen = withoutSharedMarks(
    sharedEnd(texts.head, texts.afterString).trimStart(),
    texts.afterNumber,
    rest,
  );
  // A quotation mark is no tag.
  if (!/[<[\p{L}]/u.test(keyOpen)) return null;
  const quoted =
    texts.beforeString === `${texts.beforeNumber}"` && texts.afterString === `"${texts.afterNumber}`;
  if (!quoted && texts.afterNumber !== texts.afterString) return null;
  const close = texts.afterNumber.slice(0, texts.afterNumber.length - keyOpen.length);
  const beforeString = quoted ? texts.beforeNumber : texts.beforeString;
  const isPadded = [beforeString, texts.beforeNumber].every((each) => each.endsWith("\n"));
  const padding = isPadded && close.startsWith("\n") ? "\n" : "";
  const withoutPadding = (written: string): string => written.slice(0, written.length - padding.length);
  const middle = texts.head.slice(0, texts.head.length - keyOpen.length);
  const valueType = typeBetween(withoutPadding(beforeString), withoutPadding(texts.beforeNumber));
  const body: TaggedBody = {
    type: "tagged",
    afterName: splitMark(middle),
    keyOpen,
    keyClose: splitMark(withoutPadding(beforeString)),
    padding,
    valueClose: splitMark(close.slice(padding.length)),
    quoted,
    valueType: valueType ?? undefined,
  };
  const isUsable = [body.keyClose, body.valueClose].every((mark) => markText(mark).trim() !== "");
  const lastKey = Object.keys(call.arguments).at(-1) ?? "";
  const end = findEnd(text, texts.end + (quoted ? 1 : 0), withKey(close, lastKey));
  return isUsable ? { body, middle, start: texts.start, end } : null;
}

/** Returns the words by which what is before a string differs from what is before a number; null where it does not. */
function typeBetween(string: string, number: string): ValueType | null {
  if (string === number) return null;
  const before = sharedStart(string, number);
  const after = sharedEnd(string.slice(before.length), number.slice(before.length));
  const word = (written: string): string => written.slice(before.length, written.length - after.length);
  return { before, string: word(string), other: word(number), after };
}

/** The last value ends as the others do, but the white space after it may differ. */
function findEnd(text: string, at: number, close: string): number {
  const written = [close, close.trimEnd()].find((each) => text.startsWith(each, at));
  return at + (written ?? "").length;
}

/** A body, and where it begins and ends in the text. */
interface FoundBody {
  readonly body: CallBody;
  readonly start: number;
  readonly end: number;
  /** What is written between name and arguments, where both are bare. */
  readonly middle?: string;
}

/** The texts around the keys and values of a call with a string, a number and a string. */
interface WrittenArguments {
  readonly start: number;
  /** Between the name and the first key. */
  readonly head: string;
  /** Between a key and its value. */
  readonly beforeString: string;
  readonly beforeNumber: string;
  /** Between a value and the next key; the value's own key is replaced by `keyPlace`. */
  readonly afterString: string;
  readonly afterNumber: string;
  /** Where the last value ends. */
  readonly end: number;
}

/** Returns null where not all keys and values are written in their order. */
function argumentTexts(text: string, call: ProbeCall, from: number, to: number): WrittenArguments | null {
  const start = text.indexOf(call.name, from);
  const words = Object.entries(call.arguments).flatMap(([key, value]) => [key, String(value)]);
  const gaps: string[] = [];
  let at = start + call.name.length;
  if (start < 0 || words.length !== 6) return null;
  for (const word of words) {
    const next = text.indexOf(word, at);
    if (next < 0 || next >= to) return null;
    gaps.push(text.slice(at, next));
    at = next + word.length;
  }
  const [head = "", beforeString = "", afterString = "", beforeNumber = "", afterNumber = ""] = gaps;
  if (gaps[5] !== beforeString) return null;
  const [first = "", , second = ""] = words;
  return {
    start,
    head,
    beforeString,
    beforeNumber,
    afterString: afterString.replaceAll(first, keyPlace),
    afterNumber: afterNumber.replaceAll(second, keyPlace),
    end: at,
  };
}
