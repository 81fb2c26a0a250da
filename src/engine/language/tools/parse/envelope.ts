/** Parses a call that is one JSON object with a name and arguments, with keys in any order. */
import type { EnvelopeBody } from "../syntax.js";
import { readJsonColon, readJsonString, readJsonValue } from "./json.js";
import type { Output } from "./output.js";
import { readOne, peek, skipSpace, type Reading, AnswerSource } from "./source.js";

interface Found {
  name: string | null;
  /** Arguments that came before the name; null when there are none. */
  early: string | null;
  started: boolean;
}

/** @returns whether the call is complete; if not, its text is consumed as far as it is JSON. */
export function* readEnvelope(source: AnswerSource, out: Output, body: EnvelopeBody): Reading<boolean> {
  const found: Found = { name: null, early: null, started: false };
  return (yield* readMembers(source, out, body, found, true)) && conclude(out, body, found);
}

/** Reads an object whose members may be the name, the arguments, or the object that contains both. */
function* readMembers(
  source: AnswerSource,
  out: Output,
  body: EnvelopeBody,
  found: Found,
  isOuter: boolean,
): Reading<boolean> {
  yield* skipSpace(source);
  if ((yield* readOne(source, ["{"])) === null) return false;
  for (let first = true; ; first = false) {
    yield* skipSpace(source);
    if ((yield* readOne(source, ["}"])) !== null) return true;
    if (!first && (yield* readOne(source, [","])) === null) return false;
    yield* skipSpace(source);
    const key = yield* readString(source);
    if (key === null || !(yield* readJsonColon(source))) return false;
    yield* skipSpace(source);
    const wraps = isOuter && key === body.wrapper && (yield* peek(source)) === 0x7b;
    const isRead: boolean = yield* wraps
      ? readMembers(source, out, body, found, false)
      : readMember(source, out, body, found, key);
    if (!isRead) return false;
  }
}

function* readMember(
  source: AnswerSource,
  out: Output,
  body: EnvelopeBody,
  found: Found,
  key: string,
): Reading<boolean> {
  if (key === body.nameKey || body.alsoRead?.name?.includes(key) === true) {
    if (found.name !== null) return false;
    found.name = yield* readString(source);
    return found.name !== null;
  }
  if (key === body.argumentsKey || body.alsoRead?.arguments?.includes(key) === true) {
    if (found.started || found.early !== null) return false;
    return yield* readArguments(source, out, found);
  }
  return (body.otherKeys?.includes(key) ?? true) && (yield* readJsonValue(source));
}

function* readArguments(source: AnswerSource, out: Output, found: Found): Reading<boolean> {
  const isObject = (yield* peek(source)) === 0x7b;
  if (isObject && found.name !== null && out.tool(found.name) !== undefined) {
    found.started = true;
    out.startCall(found.name);
    source.tap((piece) => out.addArguments(piece));
    const whole = yield* readJsonValue(source);
    source.untap();
    return whole;
  }
  const parts: string[] = [];
  source.tap((piece) => parts.push(piece));
  const whole = yield* readJsonValue(source);
  source.untap();
  found.early = whole ? objectText(parts.join("")) : null;
  return whole && found.early !== null;
}

/** Returns the text of an arguments object, which may also be written as a JSON string or, without arguments, as null. */
function objectText(text: string): string | null {
  if (text.startsWith("{")) return text;
  if (text === "null") return "{}";
  if (!text.startsWith('"')) return null;
  const inner = (JSON.parse(text) as string).trim();
  return inner.startsWith("{") && isWholeJson(inner) ? inner : null;
}

/** Returns whether a text is exactly one JSON value. */
export function isWholeJson(text: string): boolean {
  const source = new AnswerSource();
  source.feed(text);
  source.ended = true;
  const step = readJsonValue(source).next();
  return step.done === true && step.value && source.at === source.text.length;
}

function conclude(out: Output, body: EnvelopeBody, { name, early, started }: Found): boolean {
  if (started) return true;
  if (name === null || out.tool(name) === undefined) return false;
  // Arguments may be omitted, but not where an ordinary answer may be a JSON object.
  if (early === null && body.otherKeys !== undefined) return false;
  out.startCall(name);
  out.addArguments(early ?? "{}");
  return true;
}

/** Reads a JSON string and returns its value. */
function* readString(source: AnswerSource): Reading<string | null> {
  const parts: string[] = [];
  source.tap((piece) => parts.push(piece));
  const whole = yield* readJsonString(source);
  source.untap();
  return whole ? (JSON.parse(parts.join("")) as string) : null;
}
