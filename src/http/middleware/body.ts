/** Reads the JSON body of a request and checks its media type, encoding, size and depth. Dialects check the content. */
import type { IncomingMessage } from "node:http";
import { setImmediate } from "node:timers/promises";
import { HearthError } from "../../core/errors.js";
import {
  extractLongStrings,
  longBytesMin,
  restoreLongStrings,
  type ExtractedStrings,
  type Span,
} from "./long-strings.js";

/**
 * Bytes beyond the body limit that are read and discarded, so that a client that sends its whole body before it reads still
 * receives the error. A larger body closes the connection.
 */
const discardBytesMax = 16 * 1024 * 1024;

/** Levels of arrays and objects; code that walks a body can recurse safely. */
const nestingMax = 128;

/** Each step of reading a larger body takes milliseconds; other requests run between the steps. */
const yieldBytesMin = 1024 * 1024;

/** Bytes of a string that are scanned one by one; after that a search, which costs as much as some tens of bytes, finds its end. */
const scannedBytesMax = 64;

const quote = 0x22;
const backslash = 0x5c;

/**
 * Reads and parses the body of a request.
 * @throws HearthError `unsupported_media_type` for a body that is empty, compressed or not declared as JSON; `body_too_large`;
 * `malformed` for a body that is not UTF-8, not JSON, or nested too deeply.
 */
export async function readJsonBody(req: IncomingMessage, bodyBytesMax: number): Promise<unknown> {
  checkMediaType(req);
  if (exceedsDiscardLimit(req, bodyBytesMax)) throw tooLarge(bodyBytesMax);
  const bytes = await collect(req, bodyBytesMax);
  if (bytes.length === 0) throw unsupportedMedia("The request has no body; a JSON object is expected.");
  return parseJsonBody(bytes);
}

/**
 * Parses a body with the result of JSON.parse; other requests run between the steps of a large body.
 * @throws HearthError `malformed`.
 */
export async function parseJsonBody(bytes: Buffer): Promise<unknown> {
  const { isTooDeep, longStrings } = scan(bytes);
  if (isTooDeep) throw malformed(`The request body is nested deeper than ${nestingMax} levels.`);
  await yieldIfLarge(bytes);
  let extracted: { readonly text: string; readonly strings: ExtractedStrings };
  try {
    extracted = await extractLongStrings(bytes, longStrings);
  } catch {
    throw malformed("The request body is not valid UTF-8.");
  }
  await yieldIfLarge(bytes);
  try {
    return restoreLongStrings(JSON.parse(extracted.text), extracted.strings);
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

/** Whether the rest of a request is small enough to be read and discarded, so that the connection stays open. */
export function canBeDiscarded(req: IncomingMessage, bodyBytesMax: number): boolean {
  if (req.complete) return true;
  return req.headers["transfer-encoding"] === undefined && !exceedsDiscardLimit(req, bodyBytesMax);
}

function checkMediaType(req: IncomingMessage): void {
  const [type = "", ...parameters] = (req.headers["content-type"] ?? "").toLowerCase().split(";");
  if (type.trim() !== "application/json")
    throw unsupportedMedia(
      "The request body must be JSON, with the header 'content-type: application/json'.",
    );
  const charset = parameters.map((each) => each.trim()).find((each) => each.startsWith("charset="));
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset))
    throw unsupportedMedia("The request body must be encoded in UTF-8.");
  if ((req.headers["content-encoding"] ?? "identity").trim().toLowerCase() !== "identity")
    throw unsupportedMedia("Compressed request bodies are not supported.");
}

/** Whether the declared length exceeds even the bytes that are discarded; a chunked body declares no length. */
function exceedsDiscardLimit(req: IncomingMessage, bodyBytesMax: number): boolean {
  return Number(req.headers["content-length"] ?? 0) > bodyBytesMax + discardBytesMax;
}

function collect(req: IncomingMessage, bodyBytesMax: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    req.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= bodyBytesMax) chunks.push(chunk);
      else chunks.length = 0;
      if (bytes > bodyBytesMax + discardBytesMax) {
        req.pause();
        reject(tooLarge(bodyBytesMax));
      }
    });
    req.on("end", () =>
      bytes > bodyBytesMax ? reject(tooLarge(bodyBytesMax)) : resolve(Buffer.concat(chunks)),
    );
    req.on("error", () => reject(malformed("The request ended before its body was complete.")));
  });
}

/** Result of one pass over the bytes of a body before it is parsed. */
interface ScanResult {
  readonly isTooDeep: boolean;
  readonly longStrings: readonly Span[];
}

function scan(bytes: Buffer): ScanResult {
  const longStrings: Span[] = [];
  let depth = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === quote) {
      const start = at + 1;
      at = endOfString(bytes, start);
      if (at - start >= longBytesMin) longStrings.push({ start, end: at });
    } else if (byte === 0x5b || byte === 0x7b) {
      depth += 1;
      if (depth > nestingMax) return { isTooDeep: true, longStrings };
    } else if (byte === 0x5d || byte === 0x7d) depth -= 1;
  }
  return { isTooDeep: false, longStrings };
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
