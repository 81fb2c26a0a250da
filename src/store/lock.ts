import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { codeOf, failure } from "./failure.js";
import { makeFolder } from "./folder.js";

/** A server that was just killed may still be on its way out of the folder. */
const lockWaitMs = 2000;

/**
 * Sees to it that one server at a time works in a data folder, made first where there is none. The lock is one that the
 * operating system holds on a file, so a process that is killed leaves none behind.
 * @param waitMs how long to wait for another server to end; blocks the thread.
 * @returns what gives the folder free again.
 * @throws Error with one clear sentence when another server has the folder, or when it cannot be written.
 */
export function lockFolder(folder: string, waitMs: number = lockWaitMs): () => void {
  const file = join(folder, "server.lock");
  let lock: Sqlite.Database | null = null;
  try {
    makeFolder(folder);
    lock = new Sqlite(file, { timeout: waitMs });
    lock.exec("begin exclusive");
  } catch (thrown) {
    lock?.close();
    if (codeOf(thrown).startsWith("SQLITE_BUSY"))
      throw new Error(
        `another Hearth server is using the data folder ${folder}; stop it or set HEARTH_DATA to another folder`,
        {
          cause: thrown,
        },
      );
    throw failure("cannot use the data folder", folder, thrown);
  }
  const held = lock;
  return () => void held.close();
}
