/**
 * Watches the model folders and the configuration file by looking at them every few seconds, which also works where the operating system
 * reports no changes: network drives and mounted folders. A change counts when two looks in a row see the same, so that a file that is
 * still being copied is waited for.
 */
import { createHash } from "node:crypto";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../core/clock.js";

/** `publisher/repository/onnx/file`. */
const depthMax = 4;
const entriesMax = 20_000;

export interface WatchOptions {
  /** Returns a text that changes with what is watched. */
  readonly signature: () => Promise<string>;
  /** What it returned before the files were read. */
  readonly since: string;
  /** The pause between two looks. */
  readonly pauseMsMin: number;
  /** The pause is at least this many times as long as a look takes. */
  readonly pauseFactor: number;
  readonly clock: Clock;
  /** Called when something has changed; the next look comes after it. It never rejects. */
  readonly onChange: () => Promise<void>;
}

/** Starts watching. @returns a function that ends it */
export function watchFiles({
  signature,
  since,
  pauseMsMin,
  pauseFactor,
  clock,
  onChange,
}: WatchOptions): () => void {
  let isClosed = false;
  let cancel = (): void => undefined;
  let applied = since;
  let seen = since;
  const look = async (): Promise<void> => {
    const began = clock.monotonic();
    const now = await signature();
    if (isClosed) return;
    if (now !== applied && now === seen) {
      applied = now;
      await onChange();
    }
    seen = now;
    if (!isClosed) wait(Math.max(pauseMsMin, pauseFactor * (clock.monotonic() - began)));
  };
  const wait = (delayMs: number): void => {
    cancel = clock.after(delayMs, () => void look());
  };
  wait(pauseMsMin);
  return () => {
    isClosed = true;
    cancel();
  };
}

/** Returns a digest of the names, sizes and times of all files that are not hidden. */
export async function signatureOfFolders(folders: readonly string[]): Promise<string> {
  const lines: string[] = [];
  for (const folder of folders) await addFolder(folder, 1, lines);
  return createHash("sha256").update(lines.join("\n")).digest("hex");
}

async function addFolder(folder: string, depth: number, lines: string[]): Promise<void> {
  const entries = await readdir(folder).catch(() => []);
  for (const name of entries.toSorted()) {
    if (name.startsWith(".") || lines.length >= entriesMax) continue;
    const path = join(folder, name);
    const stats = await stat(path).catch(() => null);
    if (stats?.isDirectory() === true) {
      lines.push(path);
      if (depth < depthMax) await addFolder(path, depth + 1, lines);
    } else lines.push(await signatureOfFile(path));
  }
}

/** Returns a text that changes when a file is written or replaced. */
export async function signatureOfFile(file: string): Promise<string> {
  const stats = await stat(file).catch(() => null);
  return stats === null ? `${file} absent` : `${file} ${stats.ino} ${stats.size} ${stats.mtimeMs}`;
}
