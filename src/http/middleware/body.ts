/** Reads the JSON body of a request and checks its media type, encoding, size and depth. Dialects check the content. */
import type { IncomingMessage } from "node:http";
import { setImmediate } from "node:timers/promises";
import { HearthError } from "../../core/errors.js";
import type { Context } from "../context.js";
import { isFromPage } from "./from-page.js";
import { admitBody, declaredBytes } from "./protocol.js";
import {
  extractLongStrings,
  longBytesMin,
  restoreLongStrings,
  textWithLongStrings,
  type ExtractedText,
  type Span,
} from "./long-strings.js";

/** Levels of arrays and objects; code that walks a body can recurse safely. */
const nestingMax = 128;

/**
 * Bounds on what JSON.parse cannot be interrupted in: 100,000 arrays, objects or members take it 15 to 65 ms, a million numbers 30 ms.
 * The largest accepted conversations and token lists are smaller.
 */
const containersMax = 100_000;
const membersMax = 100_000;
const commasMax = 1_200_000;

/** A double keeps every number with fewer digits. */
const longNumberDigitsMin = 16;

/** Each step of reading a larger body takes milliseconds; other requests run between the steps. */
const yieldBytesMin = 1024 * 1024;

/** Bytes of a string that are scanned one by one; after that a search, which costs as much as some tens of bytes, finds its end. */
const scannedBytesMax = 64;

const quote = 0x22;
const backslash = 0x5c;

/** A parsed JSON body. */
export interface JsonBody {
  readonly value: unknown;
  /** The JSON text if it has a number of 16 digits or more, or with an exponent, which JSON.parse may round; null otherwise. */
  readonly text: string | null;
}

/** Which bodies of a route are accepted. */
export interface BodyRules {
  readonly bodyBytesMax: number;
  /** Which clients may declare JSON as a form, which is the default of `curl -d`. */
  readonly formsAreJson: "none" | "bearers" | "programs";
}

/**
 * Reads and parses the body of a request.
 * @throws HearthError `unsupported_media_type` for a body that is empty, compressed or not declared as JSON; `body_too_large`;
 * `malformed` for a body that is not UTF-8, not JSON, or nested too deeply.
 */
export async function readJsonBody(
  { req, res }: Pick<Context, "req" | "res">,
  { bodyBytesMax, formsAreJson }: BodyRules,
): Promise<JsonBody> {
  checkMediaType(req, canDeclareForm(req, formsAreJson));
  if (declaredBytes(req) > bodyBytesMax) throw tooLarge(bodyBytesMax);
  admitBody(req, res);
  const bytes = await collect(req, bodyBytesMax);
  if (bytes.length === 0) throw unsupportedMedia("The request has no body; a JSON object is expected.");
  return parseJsonBody(bytes);
}

/**
 * Parses a body with the result of JSON.parse; other requests run between the steps of a large body.
 * @throws HearthError `malformed`, also for a body that is nested too deeply or has too many values to be parsed in one step.
 */
export async function parseJsonBody(bytes: Buffer): Promise<JsonBody> {
  const { longStrings, hasLongNumbers } = await scan(bytes);
  await yieldIfLarge(bytes);
  let extracted: ExtractedText;
  try {
    extracted = await extractLongStrings(bytes, longStrings);
  } catch {
    throw malformed("The request body is not valid UTF-8.");
  }
  await yieldIfLarge(bytes);
  try {
    const value = restoreLongStrings(JSON.parse(extracted.text), extracted.strings);
    return { value, text: hasLongNumbers ? textWithLongStrings(extracted) : null };
  } catch {
    throw malformed("The request body is not valid JSON.");
  } finally {
    await yieldIfLarge(bytes);
  }
}

/** Lets other requests run if the body is large. */
async function yieldIfLarge({ length }: Buffer): Promise<void> {
  if (length > yieldBytesMin) await setImmediate();
}

/**
 * Whether a JSON body that is declared as a form is accepted: none from a web page is. A page can send a form to another origin, with
 * the cookies of that origin, but without an Authorization header, and browsers say that it is from a page.
 */
function canDeclareForm({ headers }: IncomingMessage, formsAreJson: BodyRules["formsAreJson"]): boolean {
  if (formsAreJson === "none" || headers.cookie !== undefined) return false;
  const isBearer = /^bearer /i.test(headers.authorization ?? "");
  return isBearer || (formsAreJson === "programs" && !isFromPage(headers));
}

function checkMediaType(req: IncomingMessage, acceptsForm: boolean): void {
  const [type = "", ...parameters] = (req.headers["content-type"] ?? "").toLowerCase().split(";");
  const isForm = type.trim() === "application/x-www-form-urlencoded";
  if (type.trim() !== "application/json" && !(isForm && acceptsForm))
    throw unsupportedMedia(
      "The request body must be JSON, with the header 'content-type: application/json'.",
    );
  const charset = parameters.map((each) => each.trim()).find((each) => each.startsWith("charset="));
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset))
    throw unsupportedMedia("The request body must be encoded in UTF-8.");
  if ((req.headers["content-encoding"] ?? "identity").trim().toLowerCase() !== "identity")
    throw unsupportedMedia("Compressed request bodies are not supported.");
}

function collect(req: IncomingMessage, bodyBytesMax: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    req.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= bodyBytesMax) return void chunks.push(chunk);
      chunks.length = 0;
      reject(tooLarge(bodyBytesMax));
    });
    req.on("end", () => resolve(Buffer.concat(chunks)));
    req.on("error", () => reject(malformed("The request ended before its body was complete.")));
  });
}

/**
 * Checks the structure of a body before it is parsed, in pieces between which other requests run.
 * @returns the long strings, and whether a number has 16 digits or more, or an exponent. @throws HearthError `malformed`.
 */
async function scan(bytes: Buffer): Promise<{ longStrings: readonly Span[]; hasLongNumbers: boolean }> {
  const longStrings: Span[] = [];
  let hasLongNumbers = false;
  let digits = 0;
  const counts: Counts = { depth: 0, containers: 0, members: 0, commas: 0 };
  let pieceEnd = yieldBytesMin;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === quote) {
      const start = at + 1;
      at = endOfString(bytes, start);
      if (at - start >= longBytesMin) longStrings.push({ start, end: at });
    } else if (isDigitOrPoint(byte)) digits += 1;
    else if (byte !== undefined) {
      if (digits >= longNumberDigitsMin || (digits > 0 && isExponent(byte))) hasLongNumbers = true;
      digits = 0;
      count(byte, counts);
    }
    if (at >= pieceEnd) {
      pieceEnd = at + yieldBytesMin;
      await setImmediate();
    }
  }
  return { longStrings, hasLongNumbers };
}

function isDigitOrPoint(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x2e && byte <= 0x39;
}

function isExponent(byte: number): boolean {
  return byte === 0x45 || byte === 0x65;
}

/** What one pass over the bytes of a body has found outside of strings. */
interface Counts {
  depth: number;
  containers: number;
  members: number;
  commas: number;
}

/** Counts a byte outside of strings. @throws HearthError `malformed`. */
function count(byte: number, counts: Counts): void {
  if (byte === 0x2c) {
    counts.commas += 1;
    if (counts.commas > commasMax) throw tooMany(commasMax, "values");
  } else if (byte === 0x3a) {
    counts.members += 1;
    if (counts.members > membersMax) throw tooMany(membersMax, "members of objects");
  } else if (byte === 0x5b || byte === 0x7b) {
    counts.depth += 1;
    counts.containers += 1;
    if (counts.depth > nestingMax)
      throw malformed(`The request body is nested deeper than ${nestingMax} levels.`);
    if (counts.containers > containersMax) throw tooMany(containersMax, "arrays and objects");
  } else if (byte === 0x5d || byte === 0x7d) counts.depth -= 1;
}

function tooMany(max: number, what: string): HearthError {
  return malformed(`The request body has more than ${max} ${what}.`);
}

/** Returns the position of the closing quote of a string; the length of the body if there is none. */
function endOfString(bytes: Buffer, from: number): number {
  let scanned = 0;
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === quote) return at;
    scanned += 1;
    if (byte === backslash) at += 1;
    else if (scanned > scannedBytesMax) {
      const next = bytes.indexOf(quote, at + 1);
      if (next === -1) break;
      if (!isEscaped(bytes, next)) return next;
      at = next;
      scanned = 0;
    }
  }
  return bytes.length;
}

function isEscaped(bytes: Buffer, at: number): boolean {
  let backslashes = 0;
  while (bytes[at - 1 - backslashes] === backslash) backslashes += 1;
  return backslashes % 2 === 1;
}

function malformed(message: string): HearthError {
  return new HearthError("malformed", message);
}

function unsupportedMedia(message: string): HearthError {
  return new HearthError("unsupported_media_type", message);
}

function tooLarge(bodyBytesMax: number): HearthError {
  return new HearthError(
    "body_too_large",
    `The request body is larger than the limit of ${bodyBytesMax} bytes.`,
  );
}
