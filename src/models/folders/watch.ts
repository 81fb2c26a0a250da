/**
 * Watches the model folders and the files of settings by looking at them every two seconds, which also works where the operating system
 * reports no changes: network drives and mounted folders. A change counts when two looks in a row see the same, so that a file that is
 * still being copied is waited for.
 */
import { createHash } from "node:crypto";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../core/clock.js";

const lookMsMin = 2000;
/** Looking at slow folders takes at most a twentieth of the time. */
const restFactor = 20;
/** `publisher/repository/onnx/file`. */
const depthMax = 4;
const entriesMax = 20_000;

/** What is watched. */
export interface WatchedFiles {
  readonly folders: readonly string[];
  readonly files: readonly string[];
}

export interface WatchOptions extends WatchedFiles {
  /** What `signatureOf` returned before the files were read. */
  readonly since: string;
  readonly clock: Clock;
  /** Called when something has changed; the next look comes after it. It never rejects. */
  readonly onChange: () => Promise<void>;
}

/** Starts watching. @returns a function that ends it */
export function watchModelFiles({ folders, files, since, clock, onChange }: WatchOptions): () => void {
  let isClosed = false;
  let cancel = (): void => undefined;
  let applied = since;
  let seen = since;
  const look = async (): Promise<void> => {
    const began = clock.monotonic();
    const now = await signatureOf({ folders, files });
    if (isClosed) return;
    if (now !== applied && now === seen) {
      applied = now;
      await onChange();
    }
    seen = now;
    if (!isClosed) wait(Math.max(lookMsMin, restFactor * (clock.monotonic() - began)));
  };
  const wait = (delayMs: number): void => {
    cancel = clock.after(delayMs, () => void look());
  };
  wait(lookMsMin);
  return () => {
    isClosed = true;
    cancel();
  };
}

/** Returns a digest of the names, sizes and times of all files that are not hidden. */
export async function signatureOf({ folders, files }: WatchedFiles): Promise<string> {
  const lines: string[] = [];
  for (const file of files) lines.push(await lineOf(file));
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
    } else lines.push(await lineOf(path));
  }
}

async function lineOf(file: string): Promise<string> {
  const stats = await stat(file).catch(() => null);
  return stats === null ? `${file} absent` : `${file} ${stats.ino} ${stats.size} ${stats.mtimeMs}`;
}
