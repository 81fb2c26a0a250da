import { setImmediate } from "node:timers/promises";
import type { HearthError } from "../core/errors.js";
import { refusedImage } from "../core/requests/refused-image.js";

/** `data:`, an optional media type, which is ignored, and the base64 marker. */
const head = /^data:[^,;]{0,100}(?:;[^,;]{1,100}){0,8}?;base64,/i;
const headCharsMax = 1024;
/** Characters decoded per turn of the event loop; a multiple of four. */
const pieceChars = 1024 * 1024;

/**
 * Decodes a base64 `data:` URL. Strict: standard alphabet, whole groups of four, padded, without white space. The size is checked before
 * decoding.
 * @throws HearthError `invalid_value` naming `param`.
 */
export async function readDataUrl(url: string, param: string, bytesMax: number): Promise<Uint8Array> {
  const prefix = head.exec(url.slice(0, headCharsMax))?.[0];
  if (prefix === undefined)
    throw refusedImage(param, "must be a data URL of the form data:image/png;base64,... here");
  return readBase64(url.slice(prefix.length), param, bytesMax);
}

async function readBase64(text: string, param: string, bytesMax: number): Promise<Uint8Array> {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const size = Math.floor((text.length / 4) * 3) - padding;
  if (size > bytesMax) throw refuseTooLarge(param, bytesMax);
  if (size <= 0) throw refusedImage(param, "is empty");
  const bytes = Buffer.allocUnsafe(size);
  let written = 0;
  for (let at = 0; at < text.length; at += pieceChars) {
    if (at > 0) await setImmediate();
    const piece = text.slice(at, at + pieceChars);
    // Node skips invalid characters and also accepts the URL-safe alphabet: other decoders would read other bytes.
    if (piece.includes("-") || piece.includes("_")) throw notBase64(param);
    written += bytes.write(piece, written, "base64");
  }
  if (text.length % 4 !== 0 || written !== size) throw notBase64(param);
  return bytes;
}

function notBase64(param: string): HearthError {
  return refusedImage(param, "is not valid base64: the standard alphabet with padding is read");
}

/** Creates the error for an image or a file that is larger than allowed. */
export function refuseTooLarge(param: string, bytesMax: number): HearthError {
  return refusedImage(param, `is larger than the ${bytesMax} bytes that are read of one`);
}
