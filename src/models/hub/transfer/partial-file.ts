/**
 * A file that is being downloaded: `.NAME.partial` with its bytes and `.NAME.partial.json`, which says which of them are there. Both are
 * hidden, so that no model is made of them. What the state says was on disk before the state was.
 */
import { lstat, open as openFile, rm, writeFile, type FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { readRegularFile } from "../../../system/regular-file.js";
import { replaceFile } from "../../../system/replace-file.js";

/** A range of the file. Its first `done` bytes are there. */
export interface Piece {
  readonly start: number;
  readonly end: number;
  done: number;
}

export type PartialFile = ReturnType<typeof partialFile>;

/** Opens the file; tests replace it with one whose disk is full. */
export type OpenFile = (path: string, flags: string) => Promise<FileHandle>;

const pieceBytesMin = 16 * 1024 * 1024;
const piecesMax = 2048;
const stateBytesMax = 256 * 1024;

const stateSchema = z.object({
  identity: z.string(),
  bytes: z.int().min(0),
  done: z.array(z.int().min(0)).max(piecesMax),
});

function partialPath(target: string): string {
  return hidden(target, "partial");
}

function statePath(target: string): string {
  return hidden(target, "partial.json");
}

export function lockPath(target: string): string {
  return hidden(target, "lock");
}

function hidden(target: string, ending: string): string {
  return join(dirname(target), `.${basename(target)}.${ending}`);
}

/** Returns how many bytes of a file were downloaded so far, here or by another process. */
export async function bytesSoFar(target: string): Promise<number> {
  const state = await readState(target);
  return state?.done.reduce((sum, each) => sum + each, 0) ?? 0;
}

/**
 * Opens the partial file of a target. What an earlier download left is kept if it was of the same content.
 * @param identity what distinguishes this content from others, such as its hash; null: nothing, so nothing is kept.
 */
export async function openPartial(
  target: string,
  identity: string | null,
  bytes: number,
  open: OpenFile = openFile,
): Promise<PartialFile> {
  const path = partialPath(target);
  const state = await readState(target);
  const isSame = identity !== null && state?.identity === identity && state.bytes === bytes;
  const existing = isSame ? await openExisting(path, open) : null;
  const pieces = listPieces(bytes);
  if (existing !== null && state !== null) {
    const { size } = await existing.stat();
    for (const [index, piece] of pieces.entries()) {
      const done = Math.min(state.done[index] ?? 0, piece.end - piece.start);
      piece.done = piece.start + done <= size ? done : 0;
    }
  } else {
    await rm(statePath(target), { force: true });
    // A pipe, or a link to another file, would be written into.
    await rm(path, { force: true });
  }
  const handle = existing ?? (await open(path, "w+"));
  return partialFile(handle, target, {
    identity: identity ?? "",
    bytes,
    pieces,
    isResumed: existing !== null,
  });
}

/** @returns null for what is no file that can be continued. */
async function openExisting(path: string, open: OpenFile): Promise<FileHandle | null> {
  const isFile = (await lstat(path).catch(() => null))?.isFile() ?? false;
  return isFile ? open(path, "r+").catch(() => null) : null;
}

/** Removes the partial file of a target, and what belongs to it. */
export async function removePartial(target: string): Promise<void> {
  for (const path of [partialPath(target), statePath(target), `${statePath(target)}.next`])
    await rm(path, { force: true });
}

interface Contents {
  readonly identity: string;
  readonly bytes: number;
  readonly pieces: readonly Piece[];
  readonly isResumed: boolean;
}

function partialFile(handle: FileHandle, target: string, contents: Contents) {
  const { identity, bytes, pieces, isResumed } = contents;
  let saving: Promise<void> = Promise.resolve();
  const save = async (): Promise<void> => {
    const state = { identity, bytes, done: pieces.map(({ done }) => done) };
    await handle.datasync();
    await writeFile(`${statePath(target)}.next`, JSON.stringify(state));
    await replaceFile(`${statePath(target)}.next`, statePath(target));
  };
  return {
    path: partialPath(target),
    pieces,
    bytes,
    /** Whether a part was there when it was opened. */
    isResumed,
    /** Returns how many bytes are there. */
    done: (): number => pieces.reduce((sum, { done }) => sum + done, 0),
    async write(chunk: Uint8Array, position: number): Promise<void> {
      for (let written = 0; written < chunk.length;) {
        const rest = chunk.length - written;
        written += (await handle.write(chunk, written, rest, position + written)).bytesWritten;
      }
    },
    /** Makes all bytes so far durable, and the state after them. */
    save: (): Promise<void> => (saving = saving.then(save, save)),
    async close(): Promise<void> {
      await saving.catch(() => undefined);
      await handle.close();
    },
  };
}

function listPieces(bytes: number): readonly Piece[] {
  const size = Math.max(pieceBytesMin, Math.ceil(bytes / piecesMax));
  const count = Math.max(1, Math.ceil(bytes / size));
  return Array.from({ length: count }, (_, index) => ({
    start: index * size,
    end: Math.min(bytes, (index + 1) * size),
    done: 0,
  }));
}

async function readState(target: string): Promise<z.infer<typeof stateSchema> | null> {
  try {
    const content = await readRegularFile(statePath(target), stateBytesMax);
    return stateSchema.parse(JSON.parse(content.toString("utf8")));
  } catch {
    return null;
  }
}
