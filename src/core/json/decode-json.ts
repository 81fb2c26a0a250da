/** Decodes parts of a JSON text, a long string or the whole text in steps between which other work runs. */
import { HearthError } from "../errors.js";

/** Bytes that are decoded or parsed without a turn of the event loop: at most some milliseconds of work. */
export const stepBytes = 64 * 1024;

const beyondAscii = /[\x80-\xff]/;
const backslash = 0x5c;
const letterU = 0x75;
const escapeBytesMax = 6;

/** Returns the text of a part that begins and ends between characters. @throws HearthError `malformed` */
export function decodePart(bytes: Buffer, start: number, end: number): string {
  const part = bytes.subarray(start, end);
  // A body is mostly ASCII, which decodes as latin1 in a fifth of the time.
  const latin1 = part.toString("latin1");
  if (!beyondAscii.test(latin1)) return latin1;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(part);
  } catch {
    throw new HearthError("malformed", "The request body is not valid UTF-8.");
  }
}

/** Returns a text in UTF-8. @throws HearthError `malformed` */
export async function decodeInSteps(bytes: Buffer, start: number): Promise<string> {
  return joinSteps(bytes, start, bytes.length, decodePart);
}

/**
 * Returns the string whose content is in a part of a JSON text, from the byte after its opening quote to its closing quote.
 * @throws HearthError `malformed`; SyntaxError as JSON.parse
 */
export async function decodeString(bytes: Buffer, start: number, end: number): Promise<string> {
  return joinSteps(bytes, start, end, (...part) => JSON.parse(`"${decodePart(...part)}"`) as string);
}

async function joinSteps(
  bytes: Buffer,
  start: number,
  end: number,
  decode: typeof decodePart,
): Promise<string> {
  const texts: string[] = [];
  for (let at = start; at < end;) {
    const next = at + stepBytes >= end ? end : cutBetween(bytes, at, at + stepBytes);
    texts.push(decode(bytes, at, next));
    at = next;
    if (at < end) await yieldToEventLoop();
  }
  return texts.join("");
}

/** Lets other work run. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Returns the last place up to `to` that is neither in a character nor in an escape sequence. */
function cutBetween(bytes: Buffer, from: number, to: number): number {
  let at = to;
  while (at > to - 4 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at -= 1;
  for (let place = at - escapeBytesMax; place < at; place += 1) {
    if (bytes[place] !== backslash || isEscaped(bytes, place, from)) continue;
    const escapeBytes = bytes[place + 1] === letterU ? escapeBytesMax : 2;
    if (place + escapeBytes > at) return place;
    place += escapeBytes - 1;
  }
  return at;
}

/** Whether an odd number of backslashes precedes a place. @param from where counting ends: not in an escape sequence */
export function isEscaped(bytes: Buffer, place: number, from: number): boolean {
  let first = place;
  while (first > from && bytes[first - 1] === backslash) first -= 1;
  return (place - first) % 2 === 1;
}
