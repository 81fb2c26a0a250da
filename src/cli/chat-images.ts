/** Images that a message in the terminal names by their paths. */
import { stat } from "node:fs/promises";
import { isAbsolute, join, resolve } from "node:path";
import { imageBytesMax } from "../core/images/images.js";
import { sniff, unreadable } from "../core/images/sniff.js";
import { readRegularFile, UnreadableFileError } from "../system/regular-file.js";
import type { ChatPart } from "./chat-client.js";

/** A message with the images that it names. */
interface Attached {
  /** Its texts without the paths, and the images in their places; a text alone if it names none. */
  readonly content: string | readonly ChatPart[];
  /** The paths as they were written, without quotes and escapes. */
  readonly paths: readonly string[];
}

interface Places {
  readonly home: string;
  /** What relative paths begin at. */
  readonly folder: string;
}

const ending = String.raw`\.(?:png|jpe?g|webp|gif)`;
const quotedPath = String.raw`(?<quote>["'])(?<quoted>(?:(?!\k<quote>).)+?${ending})\k<quote>`;
/** Blanks in it are escaped. Punctuation may follow it. */
const barePath = String.raw`(?<![^\s(])(?!\()(?<bare>(?:\\.|[^\s\\"'])+?${ending})(?=[.,;:!?)]*(?:\s|$))`;
const named = new RegExp(`${quotedPath}|${barePath}`, "gi");
const wholePath = new RegExp(`${ending}$`, "i");

/**
 * Reads the images that exist among the paths in a message.
 * @param words of the command, or one line
 * @throws Error that names the file which cannot be read, is too large or is no image.
 */
export async function attachImages(words: readonly string[], places: Places): Promise<Attached> {
  const parts: ChatPart[] = [];
  const paths: string[] = [];
  const attach = async (path: string): Promise<boolean> => {
    const file = await findFile(path, places);
    if (file === null) return false;
    parts.push({ type: "image_url", image_url: { url: await readImage(path, file) } });
    paths.push(path);
    return true;
  };
  for (const [index, word] of words.entries()) {
    if (index > 0) parts.push({ type: "text", text: " " });
    // The shell has taken the quotes of this one.
    if (wholePath.test(word) && (await attach(word))) continue;
    let from = 0;
    for (const { index: at, 0: match, groups = {} } of word.matchAll(named)) {
      const before = parts.push({ type: "text", text: word.slice(from, at) });
      if (await attachFirst(listPaths(groups), attach)) from = at + match.length;
      else parts.length = before - 1;
    }
    parts.push({ type: "text", text: word.slice(from) });
  }
  return { content: paths.length === 0 ? words.join(" ") : joinTexts(parts), paths };
}

/** Returns what a path that was found may mean: with escapes, or, as on Windows, with backslashes. */
function listPaths({ quoted, bare = "" }: Readonly<Record<string, string | undefined>>): readonly string[] {
  return quoted === undefined ? [bare, bare.replaceAll(/\\(.)/g, "$1")] : [quoted];
}

async function attachFirst(
  paths: readonly string[],
  attach: (path: string) => Promise<boolean>,
): Promise<boolean> {
  for (const path of paths) if (await attach(path)) return true;
  return false;
}

/** Returns the absolute path of a file; null if there is none. @throws Error naming it when that cannot be known. */
async function findFile(path: string, { home, folder }: Places): Promise<string | null> {
  const file = /^~[/\\]/.test(path)
    ? join(home, path.slice(2))
    : isAbsolute(path)
      ? path
      : resolve(folder, path);
  try {
    return (await stat(file)).isFile() ? file : null;
  } catch (thrown) {
    const code = readCode(thrown);
    if (
      code === "ENOENT" ||
      code === "ENOTDIR" ||
      code === "ENAMETOOLONG" ||
      code === "ERR_INVALID_ARG_VALUE"
    )
      return null;
    throw new Error(`'${path}' cannot be read (${code})`, { cause: thrown });
  }
}

/** Returns a data URL. @throws Error naming the file. */
async function readImage(path: string, file: string): Promise<string> {
  const bytes = await readRegularFile(file, imageBytesMax).catch((thrown: unknown) => {
    const isTooLarge = thrown instanceof UnreadableFileError && thrown.code === "EFBIG";
    const reason = isTooLarge
      ? `is larger than the ${imageBytesMax / 1024 / 1024} MiB that are read of an image`
      : `cannot be read (${readCode(thrown)})`;
    throw new Error(`'${path}' ${reason}`, { cause: thrown });
  });
  const kind = sniff(bytes);
  const problem = unreadable(kind);
  if (problem !== null) throw new Error(`'${path}' ${problem}`);
  return `data:image/${String(kind)};base64,${bytes.toString("base64")}`;
}

function readCode(thrown: unknown): string {
  return thrown instanceof Error && "code" in thrown ? String(thrown.code) : String(thrown);
}

/** Joins texts that follow each other, without blanks at the ends of the message. */
function joinTexts(parts: readonly ChatPart[]): readonly ChatPart[] {
  const joined: ChatPart[] = [];
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
