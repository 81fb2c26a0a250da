import { open } from "node:fs/promises";
import type Sqlite from "better-sqlite3";
import { fileError } from "../../system/file-errors.js";
import { readVersion } from "../migrate.js";
import { connectSqlite } from "../sqlite/connect.js";

/** A step of this many pages, 16 MB, blocks the thread for some hundredths of a second. */
const pagesPerStep = 4096;
const lockWaitMs = 5000;

/**
 * Copies a database as it is at one moment, while other processes write to it. The copy is one file without a write-ahead log, readable
 * by its owner only. An open read transaction holds the moment: the copy takes as long as its pages do, and no write of another process
 * makes it begin again.
 * @param onProgress is called with the bytes that were copied, and all bytes.
 * @returns the version of its schema.
 * @throws Error with one sentence that names the database and the reason.
 */
export async function copyDatabase(
  from: string,
  to: string,
  onProgress: (bytesDone: number, bytesTotal: number) => void,
): Promise<number> {
  let source: Sqlite.Database | null = null;
  try {
    await (await open(to, "wx", 0o600)).close();
    source = connectSqlite(from, { fileMustExist: true, timeout: lockWaitMs });
    const pageBytes = Number(source.pragma("page_size", { simple: true }));
    source.exec("begin");
    // Reads the schema: the transaction begins with the first read.
    const version = readVersion(source);
    await source.backup(to, {
      progress({ totalPages, remainingPages }) {
        onProgress((totalPages - remainingPages) * pageBytes, totalPages * pageBytes);
        return pagesPerStep;
      },
    });
    source.exec("rollback");
    withoutLog(to);
    return version;
  } catch (thrown) {
    throw fileError("cannot copy the database", from, thrown);
  } finally {
    source?.close();
  }
}

/** Makes a copied database one that is opened without creating further files. */
function withoutLog(file: string): void {
  const copy = connectSqlite(file, {});
  try {
    copy.pragma("journal_mode = delete");
  } finally {
    copy.close();
  }
}
