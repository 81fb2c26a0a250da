/** Reads a call that is one JSON object with a name and arguments, in whatever order its keys come. */
import type { EnvelopeBody } from "../syntax.js";
import { jsonColon, jsonString, jsonValue } from "./json.js";
import type { Output } from "./output.js";
import { oneOf, peek, skipSpace, type Reading, Source } from "./source.js";

interface Found {
  name: string | null;
  /** Argument text that came before the name; null while there is none. */
  early: string | null;
  started: boolean;
}

/** @returns whether it is a whole call; where it is not, all that belongs to it is read as far as it is JSON. */
export function* readEnvelope(source: Source, out: Output, body: EnvelopeBody): Reading<boolean> {
  const found: Found = { name: null, early: null, started: false };
  yield* skipSpace(source);
  if ((yield* oneOf(source, ["{"])) === null) return false;
  for (let first = true; ; first = false) {
    yield* skipSpace(source);
    if ((yield* oneOf(source, ["}"])) !== null) return conclude(out, body, found);
    if (!first && (yield* oneOf(source, [","])) === null) return false;
    yield* skipSpace(source);
    const key = yield* readString(source);
    if (key === null || !(yield* jsonColon(source))) return false;
    yield* skipSpace(source);
    if (!(yield* readMember(source, out, body, found, key))) return false;
  }
}

function* readMember(
  source: Source,
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
  return (body.otherKeys?.includes(key) ?? true) && (yield* jsonValue(source));
}

function* readArguments(source: Source, out: Output, found: Found): Reading<boolean> {
  const isObject = (yield* peek(source)) === 0x7b;
  if (isObject && found.name !== null && out.tool(found.name) !== undefined) {
    found.started = true;
    out.start(found.name);
    source.tap((piece) => out.argue(piece));
    const whole = yield* jsonValue(source);
    source.untap();
    return whole;
  }
  const parts: string[] = [];
  source.tap((piece) => parts.push(piece));
  const whole = yield* jsonValue(source);
  source.untap();
  found.early = whole ? objectText(parts.join("")) : null;
  return whole && found.early !== null;
}

/** The text of an arguments object, also where it was written as a string or, having none, as null. */
function objectText(text: string): string | null {
  if (text.startsWith("{")) return text;
  if (text === "null") return "{}";
  if (!text.startsWith('"')) return null;
  const inner = (JSON.parse(text) as string).trim();
  return inner.startsWith("{") && isWholeJson(inner) ? inner : null;
}

/** Whether a text is one JSON value and nothing else. */
export function isWholeJson(text: string): boolean {
  const source = new Source();
  source.feed(text);
  source.ended = true;
  const step = jsonValue(source).next();
  return step.done === true && step.value && source.at === source.text.length;
}

function conclude(out: Output, body: EnvelopeBody, { name, early, started }: Found): boolean {
  if (started) return true;
  if (name === null || out.tool(name) === undefined) return false;
  // A call without arguments may leave them out, but not where any JSON object could be an ordinary answer.
  if (early === null && body.otherKeys !== undefined) return false;
  out.start(name);
  out.argue(early ?? "{}");
  return true;
}

/** Reads a JSON string and gives what it says. */
function* readString(source: Source): Reading<string | null> {
  const parts: string[] = [];
  source.tap((piece) => parts.push(piece));
  const whole = yield* jsonString(source);
  source.untap();
  return whole ? (JSON.parse(parts.join("")) as string) : null;
}
