/**
 * Distinguishes a lost database from one that has never been there. Beside the database is a marker file, and while a server runs also
 * SQLite's own files: where one of them is found without a database, the database was removed or emptied, and starting with an
 * empty one would hide that.
 */
import { existsSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { isRestoreBegun, isRestoreUnfinished } from "./backup/swap.js";
import { readErrorCode } from "../system/file-errors.js";

/** Whether an empty database may be created where there was one; for the operator who asks for it. */
export type NewDatabase = "refused" | "allowed";

/** The file that says that a database was created. */
function findMarker(file: string): string {
  return `${file}-created`;
}

/**
 * Checks, before SQLite opens it, that a database is there if there was one.
 * @param newDatabase if `allowed`, moves what SQLite would delete, the write-ahead log of the lost database, out of the way.
 * @throws Error with one clause that gives the reason and the remedy.
 */
export function checkFileExists(file: string, newDatabase: NewDatabase): void {
  if (isRestoreUnfinished(dirname(file)))
    throw new Error("`hearth restore` was interrupted in this folder: run it again");
  // In this order: another process that creates the database writes to it before these files appear.
  const trace = findTrace(file);
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  if ((size ?? 0) > 0) return;
  if (newDatabase === "refused" && isRestoreBegun(dirname(file)))
    throw new Error(
      "`hearth restore` was interrupted in this folder, which has no database: run it again, or start with an empty one with " +
        "`hearth start --new-database`",
    );
  if (trace === null) return;
  if (newDatabase === "refused") throw lost(size === undefined ? "missing" : "empty", trace);
  setAside(`${file}-wal`);
  rmSync(`${file}-shm`, { force: true });
}

/**
 * Checks an opened database in the same way: a file can have a header and no tables.
 * @param version schema version, before migration; 0: no tables.
 */
export function checkVersionExists(file: string, version: number, newDatabase: NewDatabase): void {
  if (newDatabase === "allowed" && version > 0)
    throw new Error("it has data: --new-database starts only where the database is missing or empty");
  if (newDatabase === "refused" && version === 0 && existsSync(findMarker(file)))
    throw lost("empty", findMarker(file));
}

/** Records that the database was created. */
export function mark(file: string): void {
  const name = basename(file);
  const text = `Hearth has created ${name} in this folder. While this file is here, Hearth does not start when ${name} is missing or empty.\n`;
  try {
    writeFileSync(findMarker(file), text, { mode: 0o600, flag: "wx" });
  } catch (thrown) {
    if (readErrorCode(thrown) !== "EEXIST") throw thrown;
  }
}

function findTrace(file: string): string | null {
  return [findMarker(file), `${file}-wal`, `${file}-shm`].find((path) => existsSync(path)) ?? null;
}

function setAside(path: string): void {
  if (existsSync(path)) renameSync(path, `${path}.old`);
}

function lost(what: "missing" | "empty", trace: string): Error {
  return new Error(
    `it is ${what}, but ${basename(trace)} shows that there was a database: put the file or a backup back, ` +
      "or start with an empty one with `hearth start --new-database`",
  );
}
