import { mkdirSync } from "node:fs";
import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";

/**
 * Takes the data folder for this process, so that two servers never settle each other's runs. The lock is SQLite's own on a
 * file of its own: the system gives it back when the process dies, however it dies.
 * @returns the function that gives it back.
 * @throws Error saying which folder is in use, or cannot be written and why.
 */
export function lockFolder(folder: string): () => void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const database = new SqliteDatabase(join(folder, "lock.db"), { timeout: 0 });
    database.exec("BEGIN EXCLUSIVE");
    return () => database.close();
  } catch (thrown) {
    const code = thrown instanceof Error && "code" in thrown ? String(thrown.code) : String(thrown);
    if (code === "SQLITE_BUSY") throw new Error(`another Hearth server is using the data folder ${folder}`);
    throw new Error(`the data folder ${folder} cannot be written (${code})`, { cause: thrown });
  }
}
