/** Parses a call that is one JSON object with a name and arguments, with keys in any order. */
import type { Tool } from "../../../../core/generation.js";
import { findProperty } from "../parameters.js";
import type { EnvelopeBody } from "../syntax.js";
import { readJsonColon, readJsonString, readJsonValue } from "./json.js";
import type { Output } from "./output.js";
import { readOne, peek, skipSpace, type Reading, AnswerSource } from "./source.js";

interface Found {
  name: string | null;
  /** Arguments that came before the name; null when there are none. */
  early: string | null;
  started: boolean;
  /** Whether a list of calls was read instead. */
  listed: boolean;
  /** Members with other keys, by key, as JSON. */
  readonly others: Map<string, string>;
}

function nothingFound(): Found {
  return { name: null, early: null, started: false, listed: false, others: new Map() };
}

/** @returns whether the call is complete; if not, its text is consumed as far as it is JSON. */
export function* readEnvelope(source: AnswerSource, out: Output, body: EnvelopeBody): Reading<boolean> {
  const found = nothingFound();
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
    const lists = isOuter && body.listKeys?.includes(key) === true && (yield* peek(source)) === 0x5b;
    const isRead: boolean = yield* wraps
      ? readMembers(source, out, body, found, false)
      : lists
        ? readList(source, out, body, found)
        : readMember(source, out, body, found, key);
    if (!isRead) return false;
  }
}

/** Reads a list of calls. All but the last are ended. */
function* readList(source: AnswerSource, out: Output, body: EnvelopeBody, found: Found): Reading<boolean> {
  if (found.started || found.listed || (yield* readOne(source, ["["])) === null) return false;
  for (;;) {
    const item = nothingFound();
    if (!(yield* readMembers(source, out, { ...body, listKeys: [] }, item, true))) return false;
    if (!conclude(out, body, item)) return false;
    found.listed = true;
    yield* skipSpace(source);
    const next = yield* readOne(source, [",", "]"]);
    if (next !== ",") return next === "]";
    out.end();
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
    // An ordinary answer may be a JSON object with a name.
    return found.name !== null && (body.otherKeys === undefined || out.tool(found.name) !== undefined);
  }
  if (key === body.argumentsKey || body.alsoRead?.arguments?.includes(key) === true) {
    if (found.started || found.early !== null) return false;
    return yield* readArguments(source, out, found);
  }
  const isOrdinary = body.otherKeys?.includes(key) ?? true;
  // The arguments may have any other name, but not where an ordinary answer may be a JSON object without one.
  if (!isOrdinary && found.name === null) return false;
  const value = yield* readValueText(source);
  if (value !== null && body.otherKeys?.includes(key) !== true) found.others.set(key, value);
  return value !== null;
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
  const value = yield* readValueText(source);
  found.early = value === null ? null : objectText(value);
  return found.early !== null;
}

/** Reads a value. @returns its text; null where it is no JSON */
function* readValueText(source: AnswerSource): Reading<string | null> {
  const parts: string[] = [];
  source.tap((piece) => parts.push(piece));
  const whole = yield* readJsonValue(source);
  source.untap();
  return whole ? parts.join("") : null;
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

function conclude(out: Output, body: EnvelopeBody, { name, early, started, listed, others }: Found): boolean {
  if (started || listed) return true;
  const tool = name === null ? undefined : out.tool(name);
  if (tool === undefined) return false;
  const given = early ?? argumentsAmong(others, tool);
  // Arguments may be omitted, but not where an ordinary answer may be a JSON object.
  if (given === null && body.otherKeys !== undefined) return false;
  out.startCall(tool.name);
  out.addArguments(given ?? "{}");
  return true;
}

/** Returns the arguments that have another key than expected, or that are members of the call itself; null where there are none. */
function argumentsAmong(others: ReadonlyMap<string, string>, tool: Tool): string | null {
  const members = [...others].filter(([key]) => findProperty(tool, key) !== undefined);
  if (members.length > 0)
    return `{${members.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(",")}}`;
  const objects = [...others.values()].flatMap((value) =>
    /^[{"]/.test(value) ? (objectText(value) ?? []) : [],
  );
  return objects.length === 1 ? (objects[0] ?? null) : null;
}

/** Reads a JSON string and returns its value. */
function* readString(source: AnswerSource): Reading<string | null> {
  const parts: string[] = [];
  source.tap((piece) => parts.push(piece));
  const whole = yield* readJsonString(source);
  source.untap();
  return whole ? (JSON.parse(parts.join("")) as string) : null;
}
