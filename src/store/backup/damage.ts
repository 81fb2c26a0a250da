import { statSync } from "node:fs";
import type Sqlite from "better-sqlite3";
import { readErrorCode, explainFailure } from "../../system/file-errors.js";
import { connectSqlite } from "../sqlite/connect.js";

/**
 * How thorough a check is: `whole` reads all pages and compares every index with its table; `quick` leaves out the indexes and takes a
 * fraction of the time.
 */
export type Thoroughness = "whole" | "quick";

const lockWaitMs = 5000;

/**
 * Checks the pages of a database. It blocks the thread while it reads all of them.
 * @returns the first damage that was found, as a clause; null if there is none, or no database.
 */
export function findDamage(file: string, thoroughness: Thoroughness): string | null {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0) return null;
  let sqlite: Sqlite.Database | null = null;
  try {
    sqlite = connectSqlite(file, { fileMustExist: true, timeout: lockWaitMs });
    const check = thoroughness === "whole" ? "integrity_check" : "quick_check";
    const found = String(sqlite.pragma(`${check}(1)`, { simple: true }));
    return found === "ok" ? null : found.replace(/\s+/g, " ").replace(/^\*\*\* in database main \*\*\* /, "");
  } catch (thrown) {
    const code = readErrorCode(thrown);
    if (code.startsWith("SQLITE_CORRUPT")) return `its pages contradict each other (${code})`;
    if (code.startsWith("SQLITE_NOTADB")) return explainFailure(thrown);
    throw thrown;
  } finally {
    sqlite?.close();
  }
}
