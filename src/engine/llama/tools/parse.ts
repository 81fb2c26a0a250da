/**
 * Finds the calls in an answer as it comes: fed with text, it tells text, calls and their arguments. Every character is looked
 * at a bounded number of times, whatever it says; nothing that is read is ever run; what is no whole call of a tool there is
 * comes out as text or as a broken call, never as a call.
 */
import type { Tool } from "../../../core/generation.js";
import { readEnvelope } from "./parse/envelope.js";
import { readNamed } from "./parse/named.js";
import { Output, type ToolEvent } from "./parse/output.js";
import { readPython } from "./parse/python.js";
import { oneOf, peek, pieces, skipSpace, Source, type Reading } from "./parse/source.js";
import { readTagged } from "./parse/tagged.js";
import { openingOf, piecesOf, type CallSyntax } from "./syntax.js";

export interface ToolParser {
  /** Takes the next piece of the answer. @returns what it completed; neighbours of one kind may be joined freely. */
  push(text: string): readonly ToolEvent[];
  /** Nothing more comes. */
  finish(): readonly ToolEvent[];
}

/** A parser of one answer. */
export function createParser(
  tools: readonly Tool[],
  read: (source: Source, out: Output) => Reading<void>,
): ToolParser {
  const source = new Source();
  const out = new Output(tools);
  const reading = read(source, out);
  const advance = (): readonly ToolEvent[] => {
    reading.next();
    source.flush();
    return out.take();
  };
  return {
    push(text) {
      source.feed(text);
      return advance();
    },
    finish() {
      source.ended = true;
      return advance();
    },
  };
}

/** Reads an answer whose calls are written in any of these ways. */
export function readAnswer(syntaxes: readonly CallSyntax[]): (source: Source, out: Output) => Reading<void> {
  const whole = syntaxes.find((syntax) => syntax.wholeAnswer === true);
  const inline = new Map(
    syntaxes
      .filter((syntax) => syntax.wholeAnswer !== true)
      .map((syntax) => [openingOf(syntax)[0] ?? "", syntax]),
  );
  return function* (source, out) {
    if (whole !== undefined) {
      source.record();
      yield* skipSpace(source);
      if ((yield* peek(source)) === 0x7b) yield* readCalls(source, out, whole);
      else out.say(source.takeRecord());
    }
    for (;;) {
      const syntax = yield* toOpening(source, out, inline);
      if (syntax === null) break;
      source.record();
      yield* readCalls(source, out, syntax);
    }
    out.finish();
  };
}

/** Tells the text before the next opening, and stops in front of it. */
function* toOpening(
  source: Source,
  out: Output,
  openings: ReadonlyMap<string, CallSyntax>,
): Reading<CallSyntax | null> {
  const texts = [...openings.keys()];
  const pattern = new RegExp(texts.map(escaped).join("|") || "(?!)", "g");
  for (;;) {
    pattern.lastIndex = source.at;
    const found = pattern.exec(source.text);
    const stop = found?.index ?? source.text.length - (source.ended ? 0 : held(source, texts));
    out.say(source.text.slice(source.at, stop));
    source.at = stop;
    if (found !== null) return openings.get(found[0]) ?? null;
    if (source.ended) return null;
    yield;
  }
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** Length of the longest end of the text that may still become one of these. */
function held({ text, at }: Source, texts: readonly string[]): number {
  const longest = Math.max(0, ...texts.map((each) => each.length - 1));
  for (let start = Math.max(at, text.length - longest); start < text.length; start++)
    if (texts.some((each) => each.startsWith(text.slice(start)))) return text.length - start;
  return 0;
}

/** Reads one call, or all the calls of a section. The record has begun. */
function* readCalls(source: Source, out: Output, syntax: CallSyntax): Reading<void> {
  const { section, wholeAnswer } = syntax;
  if (!(yield* pieces(source, piecesOf(section?.open ?? [])))) return fail(source, out);
  for (;;) {
    const begins = yield* pieces(source, piecesOf(syntax.before));
    if (!begins || !(yield* readBody(source, out, syntax))) return fail(source, out);
    out.end();
    source.record();
    // The arguments between marks of their own have read the mark that ends them.
    yield* skipMark(source, piecesOf(syntax.after).slice(syntax.body.type === "tagged" ? 1 : 0));
    const ended = section === undefined || (yield* skipMark(source, piecesOf(section.close)));
    if (ended && wholeAnswer !== true) return out.say(source.takeRecord());
    yield* skipMark(source, piecesOf(syntax.between));
  }
}

function* readBody(source: Source, out: Output, { body, after }: CallSyntax): Reading<boolean> {
  if (body.type === "named") return yield* readNamed(source, out, body);
  if (body.type === "tagged") return yield* readTagged(source, out, body, after);
  yield* skipSpace(source);
  const python = body.python === true && (yield* peek(source)) !== 0x7b;
  return yield* python ? readPython(source, out) : readEnvelope(source, out, body);
}

/** Reads what it finds of a mark's pieces, which are markup and so no text. @returns whether it found any */
function* skipMark(source: Source, list: readonly string[]): Reading<boolean> {
  let found = false;
  for (const piece of list) {
    yield* skipSpace(source);
    if ((yield* oneOf(source, [piece])) === null) return found;
    found = true;
    source.record();
  }
  return found;
}

function fail(source: Source, out: Output): void {
  if (source.ranOut) source.at = source.text.length;
  out.fail(source.takeRecord(), source.ranOut);
}
