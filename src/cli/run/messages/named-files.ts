/** Images and sounds that a message in the terminal names by their paths. */
import { stat } from "node:fs/promises";
import { dirname, isAbsolute, join, parse, resolve } from "node:path";
import { explainFailure, readErrorCode } from "../../../system/file-errors.js";
import type { ChatMessage, MessagePart, MediaPart } from "./messages.js";
import { imageBytesMax } from "../../../core/images/images.js";
import { sniff, unreadable } from "../../../core/images/sniff.js";
import { beginsAsMp3, describeOtherSound, isWav } from "../../../core/prompt/sound-kinds.js";
import { soundBytesMax } from "../../../core/prompt/sounds.js";
import { sizeText } from "../../../core/report/size-text.js";
import { readRegularFile, UnreadableFileError } from "../../../system/regular-file.js";

/** Endings of files that are sent, and of others of their kind, which are refused by name. */
const imageEndings = ["png", "jpe?g", "webp", "gif", "heic", "avif", "bmp", "tiff?"] as const;
const soundEndings = ["wav", "mp3", "flac", "og[ga]", "opus", "m4a", "aac", "aiff?"] as const;

const soundEnding = new RegExp(String.raw`\.(?:${soundEndings.join("|")})$`, "i");

/**
 * Reads a file.
 * @param path as the person wrote it, for errors @param file where it is
 * @throws Error naming the file.
 */
async function readMediaFile(path: string, file: string): Promise<MediaPart> {
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

interface Places {
  readonly home: string;
  /** What relative paths begin at. */
  readonly folder: string;
}

const ending = String.raw`\.(?:${[...imageEndings, ...soundEndings].join("|")})`;
const quotedPath = String.raw`(?<quote>["'])(?<quoted>(?:(?!\k<quote>).)+?${ending})\k<quote>`;
/** Blanks in it are escaped. Punctuation may follow it. */
const barePath = String.raw`(?<![^\s(])(?!\()(?<bare>(?:\\.|[^\s\\"'])+?${ending})(?=[.,;:!?)]*(?:\s|$))`;
const named = new RegExp(`${quotedPath}|${barePath}`, "gi");
const wholePath = new RegExp(`${ending}$`, "i");

/**
 * Reads the files that exist among the paths in a message.
 * @param words of the command, or one line
 * @returns the texts without the paths, and the files in their places; a text alone if it names none
 * @throws Error that names the file which is missing, cannot be read, is too large or of another kind. A name without a folder, and an
 * absolute path into a folder that this machine does not have, stay text where no file is.
 */
export async function attachFiles(words: readonly string[], places: Places): Promise<ChatMessage["content"]> {
  const parts: MessagePart[] = [];
  const attach = async (path: string): Promise<boolean> => {
    const file = await findFile(path, places);
    if (file === null) return false;
    parts.push(await readMediaFile(path, file));
    return true;
  };
  for (const [index, word] of words.entries()) {
    if (index > 0) parts.push({ type: "text", text: " " });
    // The shell has taken the quotes of this one.
    if (wholePath.test(word) && (await attach(word))) continue;
    let from = 0;
    for (const { index: at, 0: match, groups = {} } of word.matchAll(named)) {
      const before = parts.push({ type: "text", text: word.slice(from, at) });
      const paths = listPaths(groups);
      if (await attachFirst(paths, attach)) from = at + match.length;
      else {
        parts.length = before - 1;
        await requireNone(paths.at(-1) ?? "", places);
      }
    }
    parts.push({ type: "text", text: word.slice(from) });
  }
  return parts.every(({ type }) => type === "text") ? words.join(" ") : joinTexts(parts);
}

/** Returns what a path that was found may mean: with escapes, or, as on Windows, with backslashes. */
function listPaths({ quoted, bare = "" }: Readonly<Record<string, string | undefined>>): readonly string[] {
  return quoted === undefined ? [...new Set([bare, bare.replaceAll(/\\(.)/g, "$1")])] : [quoted];
}

async function attachFirst(
  paths: readonly string[],
  attach: (path: string) => Promise<boolean>,
): Promise<boolean> {
  for (const path of paths) if (await attach(path)) return true;
  return false;
}

function toAbsolute(path: string, { home, folder }: Places): string {
  if (/^~[/\\]/.test(path)) return join(home, path.slice(2));
  return isAbsolute(path) ? path : resolve(folder, path);
}

/** Returns the absolute path of a file; null if there is none. @throws Error naming it when that cannot be known. */
async function findFile(path: string, places: Places): Promise<string | null> {
  const file = toAbsolute(path, places);
  try {
    return (await stat(file)).isFile() ? file : null;
  } catch (thrown) {
    if (absent.has(readErrorCode(thrown))) return null;
    throw new Error(`'${path}' cannot be read: ${explainFailure(thrown)}`, { cause: thrown });
  }
}

const absent = new Set(["ENOENT", "ENOTDIR", "ENAMETOOLONG", "ERR_INVALID_ARG_VALUE"]);

/** @throws Error where a text that leads to no file can only mean one */
async function requireNone(path: string, places: Places): Promise<void> {
  const file = toAbsolute(path, places);
  const folder = dirname(file);
  const isMeant =
    /^(?:~|\.{1,2})[/\\]/.test(path) ||
    (isAbsolute(path) && folder !== parse(file).root && (await isFolder(folder)));
  if (isMeant) throw new Error(`there is no file '${path}'`);
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** Joins texts that follow each other, without blanks at the ends of the message. */
function joinTexts(parts: readonly MessagePart[]): readonly MessagePart[] {
  const joined: MessagePart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (part.type === "text" && last?.type === "text")
      joined[joined.length - 1] = { type: "text", text: last.text + part.text };
    else joined.push(part);
  }
  return joined
    .map((part, at) => {
      if (part.type !== "text") return part;
      const start = at === 0 ? part.text.trimStart() : part.text;
      return { ...part, text: at === joined.length - 1 ? start.trimEnd() : start };
    })
    .filter((part) => part.type !== "text" || part.text !== "");
}
