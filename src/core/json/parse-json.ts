/**
 * Parses the JSON of a request in steps between which other work runs, and refuses what costs too much to read.
 *
 * Longest time without a turn of the event loop, for a body of 32 MB (Node.js 20, one core of an AMD EPYC): JSON.parse 25 to 235 ms;
 * this file 3 to 12 ms.
 */
import { HearthError } from "../errors.js";
import { decodeInSteps, isEscaped, yieldToEventLoop, stepBytes } from "./decode-json.js";
import { JsonPieces } from "./json-pieces.js";

/** Levels of arrays and objects; code that walks a body can recurse safely. */
const nestingMax = 128;

/**
 * Bounds on what is done with a value after it is parsed, such as its validation, which cannot be interrupted. The largest accepted
 * conversations and token lists are smaller.
 */
const containersMax = 100_000;
const membersMax = 100_000;
const commasMax = 1_200_000;

/** A double keeps every number with fewer digits. */
const longNumberDigitsMin = 16;
/** No number has more digits; to read one takes more than linear time. */
const digitsMax = 10_000;

/** Bytes of a string that are scanned one by one; after that a search, which costs as much as some tens of bytes, finds its end. */
const scannedBytesMax = 64;

const quote = 0x22;
const backslash = 0x5c;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/** A parsed JSON text. */
export interface JsonBody {
  readonly value: unknown;
  /** The JSON text if it has a number of 16 digits or more, or with an exponent, which JSON.parse may round; null otherwise. */
  readonly text: string | null;
}

/**
 * Parses a JSON text in UTF-8 with the result of JSON.parse.
 * @throws HearthError `malformed`, also for a text that is nested too deeply or has too many values.
 */
export async function parseJson(bytes: Buffer): Promise<JsonBody> {
  const start = bytes.subarray(0, 3).equals(byteOrderMark) ? 3 : 0;
  const pieces = new JsonPieces(bytes, start);
  const hasLongNumbers = await scan(bytes, start, pieces);
  const value = pieces.end();
  return { value, text: hasLongNumbers ? await decodeInSteps(bytes, start) : null };
}

/** Reports the structure of a text. @returns whether a number has 16 digits or more, or an exponent. @throws HearthError `malformed` */
async function scan(bytes: Buffer, start: number, pieces: JsonPieces): Promise<boolean> {
  let hasLongNumbers = false;
  let digits = 0;
  const counts: Counts = { depth: 0, containers: 0, members: 0, commas: 0 };
  let stepEnd = start + stepBytes;
  for (let at = start; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === quote) {
      const content = at + 1;
      let end = findStringEnd(bytes, content);
      for (; end.isOpen; end = findStringEnd(bytes, end.at)) await yieldToEventLoop();
      ({ at } = end);
      if (at - content >= stepBytes && at < bytes.length) await pieces.longString(content, at);
    } else if (byte >= 0x2e && byte <= 0x39) {
      digits += 1;
      if (digits > digitsMax) throw tooMany(digitsMax, "digits in one number");
    } else {
      if (digits >= longNumberDigitsMin || (digits > 0 && isExponent(byte))) hasLongNumbers = true;
      digits = 0;
      count(byte, at, counts, pieces);
    }
    if (at < stepEnd) continue;
    stepEnd = at + stepBytes;
    await yieldToEventLoop();
  }
  return hasLongNumbers || digits >= longNumberDigitsMin;
}

function isExponent(byte: number): boolean {
  return byte === 0x45 || byte === 0x65;
}

/** What one pass over the bytes of a text has found outside of strings. */
interface Counts {
  depth: number;
  containers: number;
  members: number;
  commas: number;
}

/** Counts and reports a byte outside of strings and numbers. @throws HearthError `malformed`. */
function count(byte: number, at: number, counts: Counts, pieces: JsonPieces): void {
  if (byte === 0x2c) {
    counts.commas += 1;
    if (counts.commas > commasMax) throw tooMany(commasMax, "values");
    pieces.comma(at);
  } else if (byte === 0x3a) {
    counts.members += 1;
    if (counts.members > membersMax) throw tooMany(membersMax, "members of objects");
  } else if (byte === 0x5b || byte === 0x7b) {
    counts.depth += 1;
    counts.containers += 1;
    if (counts.depth > nestingMax)
      throw new HearthError("malformed", `The request body is nested deeper than ${nestingMax} levels.`);
    if (counts.containers > containersMax) throw tooMany(containersMax, "arrays and objects");
    pieces.open(at, byte === 0x5b);
  } else if (byte === 0x5d || byte === 0x7d) {
    counts.depth -= 1;
    pieces.close(at, byte === 0x5d);
  }
}

function tooMany(max: number, what: string): HearthError {
  return new HearthError("malformed", `The request body has more than ${max} ${what}.`);
}

/** A place in a string: its closing quote or the end of the text; `isOpen`: where the search goes on after a turn. */
interface StringEnd {
  readonly at: number;
  readonly isOpen: boolean;
}

/** Searches the closing quote of a string for one step. @param from not in an escape sequence */
function findStringEnd(bytes: Buffer, from: number): StringEnd {
  let scanned = 0;
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === quote) return { at, isOpen: false };
    if (at - from >= stepBytes) return { at, isOpen: true };
    scanned += 1;
    if (byte === backslash) at += 1;
    else if (scanned > scannedBytesMax) {
      const next = bytes.indexOf(quote, at + 1);
      if (next === -1) break;
      if (!isEscaped(bytes, next, at + 1)) return { at: next, isOpen: false };
      at = next;
      scanned = 0;
    }
  }
  return { at: bytes.length, isOpen: false };
}
