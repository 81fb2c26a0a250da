/**
 * Reads an answer that is a row of messages, each with a header that says to whom: `analysis` is reasoning, `final` and
 * `commentary` are text, a recipient `functions.name` is a call. Text without a header is text.
 */
import { jsonValue } from "./json.js";
import type { Output } from "./output.js";
import { oneOf, peek, skipSpace, until, type Reading, type Source } from "./source.js";

const headers = ["<|start|>", "<|channel|>", "to=functions."];
const ends = ["<|end|>", "<|return|>", "<|call|>"];
const message = "<|message|>";
const boundary = /<\|(?:end|return|call|start|channel)\|>/g;
const boundaries = [...ends, "<|start|>", "<|channel|>"];
const headerLengthMax = 512;

export function* readHarmony(source: Source, out: Output): Reading<void> {
  for (;;) {
    source.record();
    yield* skipSpace(source);
    if ((yield* peek(source)) === -1) break;
    const begins = yield* oneOf(source, headers);
    if (begins === null) {
      out.say(source.takeRecord());
      yield* readContent(source, (text) => out.say(text));
      continue;
    }
    const rest = yield* until(source, message, out.nameLengthMax + headerLengthMax);
    if (rest === null) out.fail(source.takeRecord(), source.ranOut);
    else yield* readMessage(source, out, begins + rest);
  }
  out.say(source.takeRecord());
  out.finish();
}

function* readMessage(source: Source, out: Output, header: string): Reading<void> {
  const recipient = /(?:^|[\s>])to=functions\.([^\s<]+)/.exec(header)?.[1];
  if (recipient !== undefined) return yield* readCall(source, out, recipient);
  source.takeRecord();
  const thinks = /<\|channel\|>\s*analysis/.test(header);
  yield* readContent(source, (text) => (thinks ? out.think(text) : out.say(text)));
}

function* readCall(source: Source, out: Output, name: string): Reading<void> {
  yield* skipSpace(source);
  const known = (yield* peek(source)) === 0x7b && out.tool(name) !== undefined;
  if (known) {
    out.start(name);
    source.tap((piece) => out.argue(piece));
  }
  const whole = yield* jsonValue(source);
  source.untap();
  if (!known || !whole) return out.fail(source.takeRecord(), source.ranOut);
  out.end();
  source.takeRecord();
  yield* skipSpace(source);
  yield* oneOf(source, ends);
}

/** Tells what stands before the next message, and reads the mark that ends this one. */
function* readContent(source: Source, tell: (text: string) => void): Reading<void> {
  for (;;) {
    boundary.lastIndex = source.at;
    const found = boundary.exec(source.text);
    const stop = found?.index ?? source.text.length - (source.ended ? 0 : held(source));
    if (stop > source.at) tell(source.text.slice(source.at, stop));
    source.at = Math.max(source.at, stop);
    if (found !== null) {
      if (ends.includes(found[0])) source.at += found[0].length;
      return;
    }
    if (source.ended) return;
    yield;
  }
}

/** Length of the end of the text that may still become a mark. */
function held({ text, at }: Source): number {
  const from = Math.max(at, text.length - 10);
  for (let start = from; start < text.length; start++)
    if (boundaries.some((mark) => mark.startsWith(text.slice(start)))) return text.length - start;
  return 0;
}
