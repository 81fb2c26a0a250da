/**
 * Parses an answer in the harmony format: a sequence of messages with headers. The channel `analysis` is reasoning, `final` and
 * `commentary` are text, a recipient `functions.name` is a call. Text without a header is text.
 */
import { readJsonValue } from "./json.js";
import type { Output } from "./output.js";
import { readOne, peek, skipSpace, readUntil, type Reading, type AnswerSource } from "./source.js";

const headers = ["<|start|>", "<|channel|>", "to=functions."];
const ends = ["<|end|>", "<|return|>", "<|call|>"];
const message = "<|message|>";
const boundary = /<\|(?:end|return|call|start|channel)\|>/g;
const boundaries = [...ends, "<|start|>", "<|channel|>"];
const headerLengthMax = 512;

export function* readHarmony(source: AnswerSource, out: Output): Reading<void> {
  for (;;) {
    source.record();
    yield* skipSpace(source);
    if ((yield* peek(source)) === -1) break;
    const begins = yield* readOne(source, headers);
    if (begins === null && source.isCut && isBegun(headers, source.text.slice(source.at)))
      return out.finish();
    if (begins === null) {
      out.addText(source.takeRecord());
      yield* readContent(source, (text) => out.addText(text));
      continue;
    }
    const rest = yield* readUntil(source, message, out.nameLengthMax + headerLengthMax);
    if (rest === null) addFailed(source, out);
    else yield* readMessage(source, out, begins + rest);
  }
  out.addText(source.takeRecord());
  out.finish();
}

function* readMessage(source: AnswerSource, out: Output, header: string): Reading<void> {
  const recipient = /(?:^|[\s>])to=functions\.([^\s<]+)/.exec(header)?.[1];
  if (recipient !== undefined) return yield* readCall(source, out, recipient);
  source.takeRecord();
  const isReasoning = /<\|channel\|>\s*analysis/.test(header);
  out.isReasoning = isReasoning;
  yield* readContent(source, (text) => (isReasoning ? out.addReasoning(text) : out.addText(text)));
  out.isReasoning = false;
}

function* readCall(source: AnswerSource, out: Output, name: string): Reading<void> {
  yield* skipSpace(source);
  const known = (yield* peek(source)) === 0x7b && out.tool(name) !== undefined;
  if (known) {
    out.startCall(name);
    source.tap((piece) => out.addArguments(piece));
  }
  const whole = yield* readJsonValue(source);
  source.untap();
  if (!known || !whole) return addFailed(source, out);
  out.end();
  source.takeRecord();
  yield* skipSpace(source);
  yield* readOne(source, ends);
}

/** Adds what is no whole call, or no header. What a limit has cut is left out. */
function addFailed(source: AnswerSource, out: Output): void {
  const text = source.takeRecord();
  if (out.isInCall || !source.isCut || !source.ranOut) out.failMarkedCall(text, source.ranOut);
}

/** Emits the text before the next message, and consumes the mark that ends this one. */
function* readContent(source: AnswerSource, emit: (text: string) => void): Reading<void> {
  for (;;) {
    boundary.lastIndex = source.at;
    const found = boundary.exec(source.text);
    const held = found === null ? heldBack(source) : 0;
    const stop = found?.index ?? source.text.length - (source.ended && !source.isCut ? 0 : held);
    if (stop > source.at) emit(source.text.slice(source.at, stop));
    source.at = Math.max(source.at, stop);
    if (found !== null) {
      if (ends.includes(found[0])) source.at += found[0].length;
      return;
    }
    if (source.ended) {
      source.at = source.text.length;
      return;
    }
    yield;
  }
}

/** Whether a text is the beginning of one of these. */
function isBegun(marks: readonly string[], text: string): boolean {
  return text !== "" && marks.some((mark) => mark.startsWith(text));
}

/** Returns the length of the end of the text that may still become a mark. */
function heldBack({ text, at }: AnswerSource): number {
  const from = Math.max(at, text.length - 10);
  for (let start = from; start < text.length; start++)
    if (boundaries.some((mark) => mark.startsWith(text.slice(start)))) return text.length - start;
  return 0;
}
