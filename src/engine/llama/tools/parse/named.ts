/** Reads a call that is a bare name, a mark and a JSON object. */
import { piecesOf, type NamedBody } from "../syntax.js";
import { jsonValue } from "./json.js";
import type { Output } from "./output.js";
import { peek, pieces, skipSpace, until, type Reading, type Source } from "./source.js";

/** @returns whether it is a whole call; the arguments of an unknown name are read with it, as far as they are JSON. */
export function* readNamed(source: Source, out: Output, body: NamedBody): Reading<boolean> {
  const [first = "", ...rest] = piecesOf(body.afterName);
  yield* skipSpace(source);
  const before = yield* until(source, first, out.nameLengthMax);
  if (before === null || !(yield* pieces(source, rest))) return false;
  yield* skipSpace(source);
  const name = nameIn(before.trim(), out, body.aside?.mark);
  if ((yield* peek(source)) !== 0x7b) return false;
  if (name === null) {
    yield* jsonValue(source);
    return false;
  }
  out.start(name);
  source.tap((piece) => out.argue(piece));
  const whole = yield* jsonValue(source);
  source.untap();
  return whole;
}

/** The tool that is named, what may stand beside the name left out. */
function nameIn(text: string, out: Output, aside: string | undefined): string | null {
  if (out.tool(text) !== undefined) return text;
  const at = aside === undefined ? -1 : text.lastIndexOf(aside);
  const name = at < 0 ? "" : text.slice(0, at).trim();
  return out.tool(name) === undefined ? null : name;
}
