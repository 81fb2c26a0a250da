/** Reads image and sound files for a message. */
import { imageBytesMax } from "../../../core/images/images.js";
import { sniff, unreadable } from "../../../core/images/sniff.js";
import { beginsAsMp3, describeOtherSound, isWav } from "../../../core/prompt/sound-kinds.js";
import { soundBytesMax } from "../../../core/prompt/sounds.js";
import { sizeText } from "../../../core/report/size-text.js";
import { explainFailure } from "../../../system/file-errors.js";
import { readRegularFile, UnreadableFileError } from "../../../system/regular-file.js";
import type { MediaPart } from "./messages.js";

/** Endings of files that are sent, and of others of their kind, which are refused by name. */
export const imageEndings = ["png", "jpe?g", "webp", "gif", "heic", "avif", "bmp", "tiff?"] as const;
export const soundEndings = ["wav", "mp3", "flac", "og[ga]", "opus", "m4a", "aac", "aiff?"] as const;

const soundEnding = new RegExp(String.raw`\.(?:${soundEndings.join("|")})$`, "i");

/**
 * Reads a file.
 * @param path as the person wrote it, for errors @param file where it is
 * @throws Error naming the file.
 */
export async function readMediaFile(path: string, file: string): Promise<MediaPart> {
  return soundEnding.test(file) ? readSound(path, file) : readImage(path, file);
}

async function readImage(path: string, file: string): Promise<MediaPart> {
  const bytes = await readBytes(path, file, { what: "an image", bytesMax: imageBytesMax });
  const kind = sniff(bytes);
  const problem = unreadable(kind);
  if (problem !== null) throw new Error(`'${path}' ${problem}`);
  return { type: "image", path, url: `data:image/${String(kind)};base64,${bytes.toString("base64")}` };
}

async function readSound(path: string, file: string): Promise<MediaPart> {
  const bytes = await readBytes(path, file, { what: "a sound", bytesMax: soundBytesMax });
  if (bytes.length === 0) throw new Error(`'${path}' is empty`);
  const format = isWav(bytes) ? "wav" : beginsAsMp3(bytes) ? "mp3" : null;
  if (format === null) throw new Error(`'${path}' ${describeOtherSound(bytes)}`);
  return { type: "sound", path, base64: bytes.toString("base64"), format };
}

async function readBytes(
  path: string,
  file: string,
  { what, bytesMax }: { readonly what: string; readonly bytesMax: number },
): Promise<Buffer> {
  return readRegularFile(file, bytesMax).catch((thrown: unknown) => {
    const isTooLarge = thrown instanceof UnreadableFileError && thrown.code === "EFBIG";
    const reason = isTooLarge
      ? `is larger than the ${sizeText(bytesMax)} that are read of ${what}`
      : `cannot be read: ${explainFailure(thrown)}`;
    throw new Error(`'${path}' ${reason}`, { cause: thrown });
  });
}
