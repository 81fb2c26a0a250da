import { isDeepStrictEqual } from "node:util";
import { HearthError } from "../../../../src/core/errors.js";
import { stepBytes } from "../../../../src/core/json/decode-json.js";
import { parseJson, type JsonBody } from "../../../../src/core/json/parse-json.js";
import { check } from "../../checks/violation.js";
import { toLabel, type FuzzTarget } from "../target.js";

/** Leaves out a byte order mark at the start, as RFC 8259 allows. */
const utf8 = new TextDecoder("utf-8", { fatal: true });
const longMax = 3;
/** Stands for a text that is long enough to be read apart from the rest, so that inputs stay small. */
const mark = "LONG";
const long = "QUJD".repeat(stepBytes / 4);

export const target: FuzzTarget = {
  guarantee:
    "a body is read as JSON.parse reads it, with its text where a number has many digits, or refused as malformed",
  format: "bytes",
  bytesMax: 1024,
  msMax: 2000,
  corpus: "json",
  words: [
    mark,
    `"data:image/png;base64,${mark}"`,
    '"',
    "\\",
    "\\u0000",
    "\\ud83d",
    "\\ude00",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "null",
    "1e5",
    "9007199254740993",
    "-0",
    "\ufeff",
  ],
  async run(input) {
    const bytes = expanded(input);
    const expected = readValue(bytes);
    let body: JsonBody;
    try {
      body = await parseJson(bytes);
    } catch (thrown) {
      if (!(thrown instanceof HearthError)) throw thrown;
      check(thrown.kind === "malformed", () => `the error is of the kind ${thrown.kind}`);
      const isBound = /nested deeper|more than/.test(thrown.message);
      check(isBound || expected === null, () => `JSON is refused: ${thrown.message}`);
      return toLabel(thrown.message);
    }
    check(expected !== null, () => "what is no JSON is accepted");
    const { value, text } = body;
    check(isDeepStrictEqual(value, expected?.value), () => "JSON.parse reads another value");
    if (text !== null)
      check(isDeepStrictEqual(value, JSON.parse(text)), () => "the kept text has another value");
    else check(!hasLongNumber(bytes), () => "a number of many digits is kept as a double only");
    return `accepted ${typeof value}`;
  },
};

/** Returns null for what is not JSON in UTF-8. */
function readValue(input: Uint8Array): { readonly value: unknown } | null {
  try {
    return { value: JSON.parse(utf8.decode(input)) as unknown };
  } catch {
    return null;
  }
}

/** Returns whether JSON has a number that a double may not keep. */
function hasLongNumber(json: Uint8Array): boolean {
  const outside = utf8.decode(json).replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
  return /\d[\d.]{16}/.test(outside);
}

function expanded(input: Uint8Array): Buffer {
  const bytes = Buffer.from(input);
  if (!bytes.includes(mark)) return bytes;
  let count = 0;
  // Latin 1 keeps each byte, also those that are not UTF-8.
  const text = bytes.toString("latin1").replaceAll(mark, () => {
    count += 1;
    return count > longMax ? mark : long;
  });
  return Buffer.from(text, "latin1");
}
