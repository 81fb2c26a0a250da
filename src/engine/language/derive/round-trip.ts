/** Reads calls that a template has written with the parser of a syntax. */
import { isDeepStrictEqual } from "node:util";
import { createParser, readAnswer } from "../tools/parse.js";
import { Output, type ToolEvent } from "../tools/parse/output.js";
import type { CallSyntax } from "../tools/syntax.js";
import { probeTools, type ProbeCall } from "./probes.js";

/** Returns whether a text is read as exactly these calls, with no text around them. */
export function readsCalls(syntax: CallSyntax, text: string, calls: readonly ProbeCall[]): boolean {
  const parser = createParser(new Output(probeTools), readAnswer([syntax]));
  const events = [...parser.push(text.trim()), ...parser.finish()];
  if (events.some(({ type }) => type === "text" || type === "call-broken")) return false;
  const read = calls.map((_, index) => callAt(events, index));
  const starts = events.filter(({ type }) => type === "call-start").length;
  const expected = calls.map((call) => ({ name: call.name, arguments: call.arguments }));
  return starts === calls.length && isDeepStrictEqual(read, expected);
}

function callAt(events: readonly ToolEvent[], index: number): unknown {
  const own = events.filter((event) => "index" in event && event.index === index);
  const name = own.flatMap((event) => (event.type === "call-start" ? [event.name] : []))[0];
  const written = own.flatMap((event) => (event.type === "call-delta" ? [event.arguments] : [])).join("");
  return own.at(-1)?.type === "call-end" ? { name, arguments: JSON.parse(written) as unknown } : null;
}
