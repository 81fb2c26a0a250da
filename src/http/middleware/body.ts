/** Reads the JSON body of a request: how large, how deep, in which coding. What is in it is the dialect's to judge. */
import type { IncomingMessage } from "node:http";
import { setImmediate } from "node:timers/promises";
import { HearthError } from "../../core/errors.js";
import { cutLong, longBytesMin, putBack, type Cut, type Span } from "./long-strings.js";

/**
 * Read and thrown away beyond the limit, so that a client which sends everything before it listens still hears the answer;
 * past that the connection is closed.
 */
const discardBytesMax = 16 * 1024 * 1024;

/** Levels of arrays and objects; whatever walks the body later may recurse without fear. */
const nestingMax = 128;

/** Reading a larger body takes some milliseconds at each step: others get their turn between two. */
const atOnceBytesMax = 1024 * 1024;

/** Of a string; what is longer is searched for its end. A search costs as much as a look at some tens of bytes. */
const lookedAtBytesMax = 64;

const quote = 0x22;
const backslash = 0x5c;

/**
 * The parsed body of a request.
 * @throws HearthError `unsupported_media_type` when it is empty, compressed or not declared as JSON; `body_too_large`;
 * `malformed` when it is no UTF-8, no JSON, or nested too deeply.
 */
export async function readJsonBody(req: IncomingMessage, bodyBytesMax: number): Promise<unknown> {
  refuseOtherMedia(req);
  if (isHopeless(req, bodyBytesMax)) throw tooLarge(bodyBytesMax);
  const bytes = await collect(req, bodyBytesMax);
  if (bytes.length === 0) throw unsupportedMedia("The request has no body; a JSON object is expected.");
  return parseJsonBody(bytes);
}

/**
 * What JSON.parse makes of a body; other requests have their turns while a large one is parsed.
 * @throws HearthError `malformed` as above.
 */
export async function parseJsonBody(bytes: Buffer): Promise<unknown> {
  const { isTooDeep, longStrings } = look(bytes);
  if (isTooDeep) throw malformed(`The request body is nested deeper than ${nestingMax} levels.`);
  await turnAfter(bytes);
  let read: { readonly text: string; readonly cut: Cut };
  try {
    read = await cutLong(bytes, longStrings);
  } catch {
    throw malformed("The request body is not valid UTF-8.");
  }
  await turnAfter(bytes);
  try {
    return putBack(JSON.parse(read.text), read.cut);
  } catch {
    throw malformed("The request body is not valid JSON.");
  } finally {
    await turnAfter(bytes);
  }
}

/** Resolves at once for a small body, and for a large one when others had their turn. */
async function turnAfter({ length }: Buffer): Promise<void> {
  if (length > atOnceBytesMax) await setImmediate();
}

/** Whether the rest of a request is small enough to be read and thrown away for the sake of the connection. */
export function canBeDiscarded(req: IncomingMessage, bodyBytesMax: number): boolean {
  if (req.complete) return true;
  return req.headers["transfer-encoding"] === undefined && !isHopeless(req, bodyBytesMax);
}

function refuseOtherMedia(req: IncomingMessage): void {
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

/** Declared so large that reading any of it would be in vain; a chunked body declares nothing. */
function isHopeless(req: IncomingMessage, bodyBytesMax: number): boolean {
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

/** What is to be known of a body before it is parsed, from one walk over its bytes. */
interface Look {
  readonly isTooDeep: boolean;
  readonly longStrings: readonly Span[];
}

function look(bytes: Buffer): Look {
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

/** Where the quote is that ends a string; the length of all where none does. */
function endOfString(bytes: Buffer, from: number): number {
  let looked = 0;
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === quote) return at;
    looked += 1;
    if (byte === backslash) at += 1;
    else if (looked > lookedAtBytesMax) {
      const next = bytes.indexOf(quote, at + 1);
      if (next === -1) break;
      if (!isEscaped(bytes, next)) return next;
      at = next;
      looked = 0;
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
