/** Parses a call that is a bare name, a mark and a JSON object. */
import { splitPieces, type BareNameBody } from "../syntax.js";
import { readJsonValue } from "./json.js";
import { readName } from "./notation.js";
import type { Output } from "./output.js";
import { peek, readPieces, skipSpace, readUntil, type Reading, type AnswerSource } from "./source.js";

/** @returns whether the call is complete; the arguments of an unknown name are consumed as far as they are JSON. */
export function* readBareNameCall(source: AnswerSource, out: Output, body: BareNameBody): Reading<boolean> {
  const [first, ...rest] = splitPieces(body.afterName);
  yield* skipSpace(source);
  // Without a mark, the arguments follow the name.
  const before = yield* first === undefined
    ? readName(source, out)
    : readUntil(source, first, out.nameLengthMax);
  if (before === null || !(yield* readPieces(source, rest))) return false;
  yield* skipSpace(source);
  const name = nameIn(before.trim(), out, body.idAfterName?.mark);
  if ((yield* peek(source)) !== 0x7b) return false;
  if (name === null) {
    yield* readJsonValue(source);
    return false;
  }
  out.startCall(name);
  source.tap((piece) => out.addArguments(piece));
  const whole = yield* readJsonValue(source);
  source.untap();
  return whole;
}

/** Returns the name of a known tool, without an id after it; null when there is none. */
function nameIn(text: string, out: Output, idMark: string | undefined): string | null {
  if (out.tool(text) !== undefined) return text;
  const at = idMark === undefined ? -1 : text.lastIndexOf(idMark);
  const name = at < 0 ? "" : text.slice(0, at).trim();
  return out.tool(name) === undefined ? null : name;
}
