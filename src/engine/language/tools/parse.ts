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
import { openingPieces, splitPieces, taggedEnds, type CallSyntax } from "./syntax.js";
import { fence, fenceWords, lineOpenings, unmarkedSyntaxes } from "./unmarked.js";

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
    /** Parses the rest at the end of the answer. @param isCut whether a limit has ended it: then what has begun like a call is left out */
    finish(isCut = false): readonly ToolEvent[] {
      source.ended = true;
      source.isCut = isCut;
      return advance();
    },
  };
}

/**
 * Returns a reader of answers whose calls have any of these syntaxes, or no marks at all.
 * @param textEnd a mark that ends a text and that also begins a call; "": there is no such mark
 */
export function readAnswer(
  syntaxes: readonly CallSyntax[],
  textEnd = "",
): (source: AnswerSource, out: Output) => Reading<void> {
  const whole = syntaxes.filter((syntax) => syntax.wholeAnswer === true);
  const inline = new Map<string, CallSyntax[]>();
  for (const syntax of syntaxes.filter((each) => each.wholeAnswer !== true)) {
    const [first = ""] = openingPieces(syntax);
    inline.set(first, [...(inline.get(first) ?? []), syntax]);
  }
  const openings = [...inline.keys(), fence, ...lineOpenings];
  return function* (source, out) {
    yield* readAtStart(source, out, whole);
    for (;;) {
      const opening = yield* toOpening(source, out, openings);
      if (opening === null) break;
      const marked = inline.get(opening);
      if (marked !== undefined) yield* readMarked(source, out, marked, { opening, textEnd });
      else if (!(yield* readUnmarked(source, out))) {
        source.record();
        source.at += opening.length;
        out.addText(source.takeRecord());
      }
    }
    out.finish();
  };
}

/** Reads calls that are the whole answer, or its beginning. */
function* readAtStart(source: AnswerSource, out: Output, whole: readonly CallSyntax[]): Reading<void> {
  source.record();
  yield* skipSpace(source);
  const space = source.takeRecord();
  source.keep();
  const failure = yield* readFirst(source, out, whole);
  if (failure !== null) {
    if (!(yield* readUnmarked(source, out))) {
      out.addText(space);
      // Nothing inside of what was read like a call begins one.
      addFailed(source, out, failure, false);
    }
  }
  source.release();
}

/** Reads calls without marks of the family, with or without a fence around them. Consumes nothing else. */
function* readUnmarked(source: AnswerSource, out: Output): Reading<boolean> {
  const start = source.keep();
  yield* skipSpace(source);
  const isFenced = (yield* readOne(source, [fence])) !== null;
  const isOpened = !isFenced || (yield* readOne(source, fenceWords)) !== null;
  const failure = isOpened ? yield* readFirst(source, out, unmarkedSyntaxes) : undefined;
  const isRead = failure === null;
  if (isRead && isFenced) yield* skipMark(source, [fence]);
  if (isRead) out.addText(source.takeRecord());
  else if (source.isCut && failure?.ranOut === true && isBegun(source.text.slice(source.at), out))
    source.at = source.text.length;
  else source.moveTo(start);
  source.release();
  return isRead;
}

/** Whether a text is more likely the beginning of a call than anything else. */
function isBegun(text: string, out: Output): boolean {
  return out.namesTool(text) || /^\s*\{\s*"tool_calls"/.test(text);
}

/** Reads calls that begin with a mark. What is none is text. */
function* readMarked(
  source: AnswerSource,
  out: Output,
  syntaxes: readonly CallSyntax[],
  { opening, textEnd }: { readonly opening: string; readonly textEnd: string },
): Reading<void> {
  const start = source.keep();
  const failure = yield* readFirst(source, out, syntaxes);
  if (failure !== null && (yield* endsWith(source, textEnd))) return source.release();
  const { furthest = 0, ranOut = false } = failure ?? {};
  if (failure === null) out.addText(source.takeRecord());
  else addFailed(source, out, { furthest: Math.max(furthest, start + opening.length), ranOut }, true);
  source.release();
}

/** Reads a mark, where the answer ends with it. */
function* endsWith(source: AnswerSource, mark: string): Reading<boolean> {
  const start = source.keep();
  const isRead = mark !== "" && (yield* readOne(source, [mark])) !== null;
  if (isRead) yield* skipSpace(source);
  const isEnd = isRead && (yield* peek(source)) === -1;
  if (!isEnd) source.moveTo(start);
  source.release();
  return isEnd;
}

/** What was read like a call, and is none. */
interface Failure {
  /** The furthest place of the answer that was read. */
  readonly furthest: number;
  /** Whether a reader has come to the end of the answer. */
  readonly ranOut: boolean;
}

/**
 * Reads calls with the first of these syntaxes that the text has.
 * @returns null where there was a call; otherwise it is where it was before
 */
function* readFirst(
  source: AnswerSource,
  out: Output,
  syntaxes: readonly CallSyntax[],
): Reading<Failure | null> {
  const start = source.keep();
  let furthest = start;
  let ranOut = false;
  for (const syntax of syntaxes) {
    source.moveTo(start);
    source.record();
    if (yield* readCalls(source, out, syntax)) {
      source.release();
      return null;
    }
    furthest = Math.max(furthest, source.place);
    ranOut ||= source.ranOut;
  }
  source.moveTo(start);
  source.release();
  return { furthest, ranOut };
}

/** Adds what was read like a call, and is none. */
function addFailed(
  source: AnswerSource,
  out: Output,
  { furthest, ranOut }: Failure,
  isMarked: boolean,
): void {
  source.record();
  if (ranOut) source.at = source.text.length;
  else source.moveTo(furthest);
  const text = source.takeRecord();
  if (isMarked && source.isCut && ranOut) return;
  // An answer that only might be a call has no marks, and is text.
  if (isMarked) out.failMarkedCall(text, ranOut);
  else out.failCall(text, ranOut);
}

/** Emits the text before the next opening, and stops in front of it. */
function* toOpening(source: AnswerSource, out: Output, texts: readonly string[]): Reading<string | null> {
  const pattern = new RegExp(texts.map(escaped).join("|") || "(?!)", "g");
  for (;;) {
    pattern.lastIndex = source.at;
    const found = pattern.exec(source.text);
    const rest = found === null ? "" : source.text.slice(found.index);
    // Another opening may begin with the one that was found.
    const mayBeLonger = found !== null && texts.some((text) => text !== rest && text.startsWith(rest));
    const held = found === null ? heldBack(source, texts) : mayBeLonger ? rest.length : 0;
    // A mark that a limit has cut is no text.
    const isPlain = [fence, ...lineOpenings].some((text) =>
      text.startsWith(source.text.slice(source.text.length - held)),
    );
    const isLeftOut = source.isCut && !isPlain;
    const isWaiting = held > 0 && (!source.ended || isLeftOut);
    const stop = isWaiting ? source.text.length - held : (found?.index ?? source.text.length);
    out.addText(source.text.slice(source.at, stop));
    source.at = stop;
    if (found !== null && !isWaiting) return found[0];
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

/**
 * Reads one call, or all calls of a section. The record must have been started.
 * @returns whether there was one; if it is not complete, it is a broken call
 */
function* readCalls(source: AnswerSource, out: Output, syntax: CallSyntax): Reading<boolean> {
  const { section, wholeAnswer, body, after } = syntax;
  if (!(yield* readPieces(source, splitPieces(section?.open ?? [])))) return false;
  for (let isFirst = true; ; isFirst = false) {
    const isRead = yield* readCall(source, out, syntax);
    if (!isRead && isFirst && !out.isInCall) return false;
    if (!isRead) {
      failNext(source, out, syntax);
      return true;
    }
    out.end();
    source.record();
    // The reader of tagged arguments has consumed the first piece of the end mark.
    yield* skipMark(
      source,
      body.type === "tagged" ? taggedEnds(body, after).call.slice(1) : splitPieces(after),
    );
    const ended =
      section === undefined ? wholeAnswer !== true : yield* skipMark(source, splitPieces(section.close));
    if (ended) {
      yield* skipMark(source, syntax.turnEnd ?? []);
      return true;
    }
    yield* skipMark(source, splitPieces(syntax.between.length === 0 ? [";"] : syntax.between));
  }
}

function* readCall(source: AnswerSource, out: Output, syntax: CallSyntax): Reading<boolean> {
  return (
    (yield* readPieces(source, splitPieces(syntax.before))) &&
    (yield* readId(source, syntax)) &&
    (yield* readBody(source, out, syntax))
  );
}

/** Handles what follows a call, or begins one, and is no whole call. */
function failNext(source: AnswerSource, out: Output, { wholeAnswer }: CallSyntax): void {
  const isMarked = wholeAnswer !== true;
  if (source.ranOut) source.at = source.text.length;
  const text = source.takeRecord();
  const isLeftOut = source.isCut && source.ranOut && !out.isInCall;
  if (isLeftOut && (isMarked || out.namesTool(text))) return;
  if (isMarked) out.failMarkedCall(text, source.ranOut);
  else out.failCall(text, source.ranOut);
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

/** Skips those pieces of a mark that are present, or that the end of the answer has cut. @returns whether any was */
function* skipMark(source: AnswerSource, list: readonly string[]): Reading<boolean> {
  let found = false;
  for (const piece of list) {
    yield* skipSpace(source);
    if ((yield* readOne(source, [piece])) === null) {
      if (!source.ended || source.code() === -1 || !piece.startsWith(source.text.slice(source.at)))
        return found;
      source.at = source.text.length;
    }
    found = true;
    source.record();
  }
  return found;
}
