/**
 * Parses the calls of an answer incrementally: it receives text and emits text, calls and their arguments. Every character is read a
 * bounded number of times, nothing is executed, and anything but a complete call of a known tool is emitted as text or as a broken call.
 */
import { readEnvelope } from "./parse/envelope.js";
import { readBareNameCall } from "./parse/bare-name.js";
import { pythonMarks, readNotation } from "./parse/notation.js";
import type { Output, ToolEvent } from "./parse/output.js";
import {
  readOne,
  peek,
  readPieces,
  readUntil,
  skipSpace,
  AnswerSource,
  type Reading,
} from "./parse/source.js";
import { readTagged } from "./parse/tagged.js";
import { firstCharacter, openingPieces, splitPieces, taggedEnds, type CallSyntax } from "./syntax.js";

const idLengthMax = 256;

export type ToolParser = ReturnType<typeof createParser>;

/** Creates a parser of one answer. */
export function createParser(out: Output, read: (source: AnswerSource, out: Output) => Reading<void>) {
  const source = new AnswerSource();
  const reading = read(source, out);
  const advance = (): readonly ToolEvent[] => {
    reading.next();
    source.flush();
    return out.take();
  };
  return {
    /** Whether the text so far ends inside reasoning that the parser separates. */
    get isReasoning(): boolean {
      return out.isReasoning;
    },
    /** Parses the next piece of the answer. @returns the completed events; adjacent events of one kind may be joined. */
    push(text: string): readonly ToolEvent[] {
      source.feed(text);
      return advance();
    },
    /** Parses the rest at the end of the answer. */
    finish(): readonly ToolEvent[] {
      source.ended = true;
      return advance();
    },
  };
}

/** Returns a reader of answers whose calls have any of these syntaxes. */
export function readAnswer(
  syntaxes: readonly CallSyntax[],
): (source: AnswerSource, out: Output) => Reading<void> {
  const whole = new Map(
    syntaxes
      .filter((syntax) => syntax.wholeAnswer === true)
      .reverse()
      .map((syntax) => [firstCharacter(syntax).charCodeAt(0), syntax]),
  );
  const inline = new Map(
    syntaxes
      .filter((syntax) => syntax.wholeAnswer !== true)
      // The first of two with the same opening is read.
      .reverse()
      .map((syntax) => [openingPieces(syntax)[0] ?? "", syntax]),
  );
  return function* (source, out) {
    if (whole.size > 0) {
      source.record();
      yield* skipSpace(source);
      const syntax = whole.get(yield* peek(source));
      if (syntax !== undefined) yield* readCalls(source, out, syntax);
      else out.addText(source.takeRecord());
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

/** Emits the text before the next opening, and stops in front of it. */
function* toOpening(
  source: AnswerSource,
  out: Output,
  openings: ReadonlyMap<string, CallSyntax>,
): Reading<CallSyntax | null> {
  const texts = [...openings.keys()];
  const pattern = new RegExp(texts.map(escaped).join("|") || "(?!)", "g");
  for (;;) {
    pattern.lastIndex = source.at;
    const found = pattern.exec(source.text);
    const stop = found?.index ?? source.text.length - (source.ended ? 0 : heldBack(source, texts));
    out.addText(source.text.slice(source.at, stop));
    source.at = stop;
    if (found !== null) return openings.get(found[0]) ?? null;
    if (source.ended) return null;
    yield;
  }
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** Returns the length of the longest end of the text that may still become one of these texts. */
function heldBack({ text, at }: AnswerSource, texts: readonly string[]): number {
  const longest = Math.max(0, ...texts.map((each) => each.length - 1));
  for (let start = Math.max(at, text.length - longest); start < text.length; start++)
    if (texts.some((each) => each.startsWith(text.slice(start)))) return text.length - start;
  return 0;
}

/** Reads one call, or all calls of a section. The record must have been started. */
function* readCalls(source: AnswerSource, out: Output, syntax: CallSyntax): Reading<void> {
  const { section, wholeAnswer } = syntax;
  if (!(yield* readPieces(source, splitPieces(section?.open ?? [])))) return fail(source, out, syntax);
  for (;;) {
    const begins = yield* readPieces(source, splitPieces(syntax.before));
    if (!begins || !(yield* readId(source, syntax)) || !(yield* readBody(source, out, syntax)))
      return fail(source, out, syntax);
    out.end();
    source.record();
    const { body, after } = syntax;
    // The reader of tagged arguments has consumed the first piece of the end mark.
    yield* skipMark(
      source,
      body.type === "tagged" ? taggedEnds(body, after).call.slice(1) : splitPieces(after),
    );
    const ended =
      section === undefined ? wholeAnswer !== true : yield* skipMark(source, splitPieces(section.close));
    if (ended) {
      yield* skipMark(source, syntax.turnEnd ?? []);
      return out.addText(source.takeRecord());
    }
    yield* skipMark(source, splitPieces(syntax.between));
  }
}

/** Reads the id of a call and the mark after it, where the syntax has one. */
function* readId(source: AnswerSource, { afterId = [] }: CallSyntax): Reading<boolean> {
  const [first, ...rest] = splitPieces(afterId);
  if (first === undefined) return true;
  return (yield* readUntil(source, first, idLengthMax)) !== null && (yield* readPieces(source, rest));
}

function* readBody(source: AnswerSource, out: Output, { body, after }: CallSyntax): Reading<boolean> {
  if (body.type === "bare-name") return yield* readBareNameCall(source, out, body);
  if (body.type === "tagged") return yield* readTagged(source, out, body, after);
  if (body.type === "notation") return yield* readNotation(source, out, body);
  yield* skipSpace(source);
  const python = body.python === true && (yield* peek(source)) !== 0x7b;
  return yield* python ? readNotation(source, out, pythonMarks) : readEnvelope(source, out, body);
}

/** Skips those pieces of a mark that are present. @returns whether any was present */
function* skipMark(source: AnswerSource, list: readonly string[]): Reading<boolean> {
  let found = false;
  for (const piece of list) {
    yield* skipSpace(source);
    if ((yield* readOne(source, [piece])) === null) return found;
    found = true;
    source.record();
  }
  return found;
}

function fail(source: AnswerSource, out: Output, { wholeAnswer }: CallSyntax): void {
  if (source.ranOut) source.at = source.text.length;
  const text = source.takeRecord();
  // An answer that only might be a call has no marks, and is text.
  if (wholeAnswer === true) out.failCall(text, source.ranOut);
  else out.failMarkedCall(text, source.ranOut);
}
