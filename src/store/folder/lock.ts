import { join } from "node:path";
import type Sqlite from "better-sqlite3";
import { readErrorCode, fileError } from "../../system/file-errors.js";
import { createDataFolder } from "../../system/folder.js";
import { connectSqlite } from "../sqlite/connect.js";

/** A server that was killed may hold the lock a little longer. */
const lockWaitMs = 2000;

/**
 * Locks a data folder, so that only one server uses it; creates the folder if it does not exist. The operating system holds the
 * lock on a file, so a killed process leaves none behind.
 * @param waitMs how long to wait for another server to end; blocks the thread.
 * @returns a function that releases the lock.
 * @throws Error with one sentence when another server has locked the folder, or when it cannot be written.
 */
export function lockFolder(folder: string, waitMs: number = lockWaitMs): () => void {
  const file = join(folder, "server.lock");
  let lock: Sqlite.Database | null = null;
  try {
    createDataFolder(folder);
    lock = connectSqlite(file, { timeout: waitMs });
    lock.exec("begin exclusive");
  } catch (thrown) {
    lock?.close();
    if (readErrorCode(thrown).startsWith("SQLITE_BUSY"))
      throw new Error(
        `another Hearth server is using the data folder ${folder}; stop it or set HEARTH_DATA to another folder`,
        {
          cause: thrown,
        },
      );
    throw fileError("cannot use the data folder", folder, thrown);
  }
  const held = lock;
  return () => void held.close();
}
