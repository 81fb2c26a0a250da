import { existsSync } from "node:fs";
import { join } from "node:path";
import type Sqlite from "better-sqlite3";
import { readErrorCode, fileError } from "../../system/file-errors.js";
import { createDataFolder } from "../../system/folder.js";
import { connectSqlite } from "../sqlite/connect.js";
import { describeLockHolder, removeLockHolder, writeLockHolder, type LockHolder } from "./lock-holder.js";

/** A server that was killed may hold the lock a little longer. */
const lockWaitMs = 2000;

const lockFile = "server.lock";

const thisProcess: LockHolder = { pid: process.pid, url: null };

/**
 * Locks a data folder, so that only one server uses it; creates the folder if it does not exist. The operating system holds the
 * lock on a file, so a killed process leaves none behind.
 * @param waitMs how long to wait for another server to end; blocks the thread.
 * @param holder the process that the error of a second lock names.
 * @returns a function that releases the lock.
 * @throws Error with one sentence when another server has locked the folder, or when it cannot be written.
 */
export function lockFolder(
  folder: string,
  waitMs: number = lockWaitMs,
  holder: LockHolder = thisProcess,
): () => void {
  const lock = takeLock(folder, waitMs);
  if (lock === null)
    throw new Error(
      `another Hearth server${describeLockHolder(folder)} is using the data folder ${folder}; ` +
        "end it with `hearth stop`, or set HEARTH_DATA to another folder",
    );
  writeLockHolder(folder, holder);
  return () => {
    if (!lock.open) return;
    removeLockHolder(folder);
    lock.close();
  };
}

/** Whether a process holds the lock of a folder. */
export function isFolderLocked(folder: string): boolean {
  if (!existsSync(join(folder, lockFile))) return false;
  const lock = takeLock(folder, 0);
  lock?.close();
  return lock === null;
}

/** Returns null when another process has the lock. */
function takeLock(folder: string, waitMs: number): Sqlite.Database | null {
  let lock: Sqlite.Database | null = null;
  try {
    createDataFolder(folder);
    lock = connectSqlite(join(folder, lockFile), { timeout: waitMs });
    lock.exec("begin exclusive");
    return lock;
  } catch (thrown) {
    lock?.close();
    if (readErrorCode(thrown).startsWith("SQLITE_BUSY")) return null;
    throw fileError("cannot use the data folder", folder, thrown);
  }
}
