import { chmodSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readErrorCode } from "./file-errors.js";

/**
 * Creates a folder with mode 700, and its parents; an existing folder stays unchanged. Node's recursive mkdir never returns when
 * the parent exists but nothing can be created in it, as in /proc.
 * @throws Error of Node, with its code.
 */
export function createFolder(folder: string): void {
  try {
    makeOne(folder);
  } catch (thrown) {
    const parent = dirname(folder);
    if (readErrorCode(thrown) !== "ENOENT" || parent === folder) throw thrown;
    createFolder(parent);
    makeOne(folder);
  }
}

/**
 * Creates a data folder like `createFolder`. The folder of a fresh checkout, which has only a `.gitignore`, gets mode 700, too.
 * @throws Error of Node, with its code.
 */
export function createDataFolder(folder: string): void {
  createFolder(folder);
  if (readdirSync(folder).join() === ".gitignore") chmodSync(folder, 0o700);
}

function makeOne(folder: string): void {
  if (isFolder(folder)) return;
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (thrown) {
    // Another server may have created it in between.
    if (readErrorCode(thrown) !== "EEXIST" || !isFolder(folder)) throw thrown;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Returns the names of the files in a folder that were last written before this time. @throws Error of Node, with its code. */
export async function namesBefore(folder: string, before: number): Promise<readonly string[]> {
  const names = await readdir(folder);
  if (before === Infinity) return names;
  const found: string[] = [];
  for (const name of names) {
    // Another server may have removed it.
    const status = await stat(join(folder, name)).catch(() => null);
    if (status !== null && status.mtimeMs < before) found.push(name);
  }
  return found;
}
