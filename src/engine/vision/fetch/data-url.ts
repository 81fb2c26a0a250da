import type { HearthError } from "../../../core/errors.js";
import { refusedImage } from "../refused.js";

/** `data:`, a media type that is only taken note of, and the base64 marker. */
const head = /^data:[^,;]{0,100}(?:;[^,;]{1,100}){0,8}?;base64,/i;
const headCharsMax = 1024;

/**
 * The bytes of a base64 `data:` URL. Strict: the plain alphabet, whole groups of four, padded, nothing between. Its size is
 * known, and bounded, before any of it is decoded.
 * @throws HearthError `invalid_value` naming `param`.
 */
export function readDataUrl(url: string, param: string, bytesMax: number): Uint8Array {
  const prefix = head.exec(url.slice(0, headCharsMax))?.[0];
  if (prefix === undefined)
    throw refusedImage(param, "must be a data URL of the form data:image/png;base64,... here");
  return readBase64(url.slice(prefix.length), param, bytesMax);
}

function readBase64(text: string, param: string, bytesMax: number): Uint8Array {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const size = Math.floor((text.length / 4) * 3) - padding;
  if (size > bytesMax) throw tooLarge(param, bytesMax);
  if (size <= 0) throw refusedImage(param, "holds no bytes");
  const bytes = Buffer.from(text, "base64");
  // Node skips what is no base64 and takes the URL's alphabet as well: both would make other bytes than other readers see.
  const isStrict =
    text.length % 4 === 0 && bytes.length === size && !text.includes("-") && !text.includes("_");
  if (!isStrict) throw refusedImage(param, "is not valid base64: the standard alphabet with padding is read");
  return bytes;
}

/** The image is larger than may be read. */
export function tooLarge(param: string, bytesMax: number): HearthError {
  return refusedImage(param, `is larger than the ${bytesMax} bytes that are read of an image`);
}
