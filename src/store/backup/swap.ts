/**
 * Puts a restored data folder in the place of the present one. Everything stays inside the folder, which may be a mount point. A folder
 * in it holds the restored files, and its name says how far the restore is:
 *
 * - `restore-unverified`: the files are being written and checked. Nothing has changed yet.
 * - `restore-verified`: the present files are being moved into it.
 * - `restore-installing`: the restored files are being moved out of it.
 * - `before-restore-<time>`: the restore is done; the folder keeps the former files.
 *
 * Each step is one rename. A process that dies between two of them leaves a state from which `undoRestore` leads back to the former
 * files; until it has run, no database is opened.
 */
import { existsSync } from "node:fs";
import { mkdir, readdir, rename, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { syncFolder } from "../../system/sync-folder.js";
import { logsFolder } from "../data-folder.js";

const unverified = "restore-unverified";
const verified = "restore-verified";
const installing = "restore-installing";
const done = "before-restore-";
/** The folder of restored files in the folder that shows the state. */
const restored = "restored";
/** Entries of the data folder that no restore moves: what file systems and checkouts have of their own, the log, and the states. */
const fixed = new Set(["lost+found", ".gitignore", logsFolder, unverified, verified, installing]);
/** Beginnings of further ones: the lock of a server with its journal, and the former files of earlier restores. */
const fixedBeginnings = ["server.lock", done];

/** Renames a file or folder; the test of crashes passes one that stops. */
export type Move = (from: string, to: string) => Promise<void>;

/** Whether a restore was interrupted after it had begun to move files. */
export function isRestoreUnfinished(folder: string): boolean {
  return existsSync(join(folder, verified)) || existsSync(join(folder, installing));
}

/** Whether a restore was interrupted before it had anything to put in the place of what is there. */
export function isRestoreBegun(folder: string): boolean {
  return existsSync(join(folder, unverified));
}

/** Creates the empty folder, mode 700, for the files to restore. */
export async function beginRestore(folder: string): Promise<string> {
  const target = join(folder, unverified, restored);
  await rm(join(folder, unverified), { recursive: true, force: true });
  await mkdir(target, { recursive: true, mode: 0o700 });
  return target;
}

/** Removes the files of a restore that was not verified. */
export async function abandonRestore(folder: string): Promise<void> {
  await rm(join(folder, unverified), { recursive: true, force: true });
}

/**
 * Puts the verified files in the place of the present ones.
 * @param time part of the name of the folder that keeps the former files.
 * @returns the path of that folder; null if there were no former files.
 */
export async function install(folder: string, time: string, move: Move = rename): Promise<string | null> {
  const at = (...names: string[]): string => join(folder, ...names);
  await syncFolder(at(unverified, restored));
  await move(at(unverified), at(verified));
  await syncFolder(folder);
  for (const name of await movable(folder)) await move(at(name), at(verified, name));
  await syncFolder(at(verified));
  await move(at(verified), at(installing));
  await syncFolder(folder);
  for (const name of await readdir(at(installing, restored)))
    await move(at(installing, restored, name), at(name));
  await syncFolder(folder);
  const kept = at(free(folder, `${done}${time}`));
  await move(at(installing), kept);
  await syncFolder(folder);
  await rmdir(join(kept, restored));
  if ((await readdir(kept)).length > 0) return kept;
  await rmdir(kept);
  return null;
}

/** Leads an interrupted restore back to the former files. @returns whether there was one that had begun to move files. */
export async function undoRestore(folder: string, move: Move = rename): Promise<boolean> {
  const at = (...names: string[]): string => join(folder, ...names);
  const wasUnfinished = isRestoreUnfinished(folder);
  if (existsSync(at(installing))) {
    // All former files are in there: what lies outside was restored.
    for (const name of await movable(folder)) await move(at(name), at(installing, restored, name));
    await syncFolder(folder);
    await move(at(installing), at(verified));
    await syncFolder(folder);
  }
  if (existsSync(at(verified))) {
    for (const name of await readdir(at(verified)))
      if (name !== restored) await move(at(verified, name), at(name));
    await syncFolder(folder);
    await rm(at(verified), { recursive: true });
  }
  await abandonRestore(folder);
  return wasUnfinished;
}

async function movable(folder: string): Promise<readonly string[]> {
  const isFixed = (name: string): boolean =>
    fixed.has(name) || fixedBeginnings.some((beginning) => name.startsWith(beginning));
  return (await readdir(folder)).filter((name) => !isFixed(name));
}

function free(folder: string, name: string, count = 1): string {
  const candidate = count === 1 ? name : `${name}-${count}`;
  return existsSync(join(folder, candidate)) ? free(folder, name, count + 1) : candidate;
}
