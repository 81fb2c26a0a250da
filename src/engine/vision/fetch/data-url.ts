import { setImmediate } from "node:timers/promises";
import type { HearthError } from "../../../core/errors.js";
import { refusedImage } from "../refused.js";

/** `data:`, a media type that is only taken note of, and the base64 marker. */
const head = /^data:[^,;]{0,100}(?:;[^,;]{1,100}){0,8}?;base64,/i;
const headCharsMax = 1024;
/** Decoded at a time, others' turns between; a multiple of four. */
const pieceChars = 1024 * 1024;

/**
 * The bytes of a base64 `data:` URL. Strict: the plain alphabet, whole groups of four, padded, nothing between. Its size is
 * known, and bounded, before any of it is decoded.
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
  if (size > bytesMax) throw tooLarge(param, bytesMax);
  if (size <= 0) throw refusedImage(param, "holds no bytes");
  const bytes = Buffer.allocUnsafe(size);
  let written = 0;
  for (let at = 0; at < text.length; at += pieceChars) {
    if (at > 0) await setImmediate();
    const piece = text.slice(at, at + pieceChars);
    // Node skips what is no base64 and takes the URL's alphabet as well: both would make other bytes than other readers see.
    if (piece.includes("-") || piece.includes("_")) throw notBase64(param);
    written += bytes.write(piece, written, "base64");
  }
  if (text.length % 4 !== 0 || written !== size) throw notBase64(param);
  return bytes;
}

function notBase64(param: string): HearthError {
  return refusedImage(param, "is not valid base64: the standard alphabet with padding is read");
}

/** The image is larger than may be read. */
export function tooLarge(param: string, bytesMax: number): HearthError {
  return refusedImage(param, `is larger than the ${bytesMax} bytes that are read of an image`);
}
