/** New databases for tests: a migration takes 14 ms of CPU time, a copy of a migrated file 1 ms. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { openDatabase, type Database } from "../../src/store/database.js";

/** Writes the first rows of a database. */
export type Seed = (database: Database) => Promise<void>;

const empty: Seed = () => Promise.resolve();
/** The bytes of a database by its seed, which this process migrated once. */
const made = new Map<Seed, Promise<Uint8Array>>();

/**
 * Writes a database of the newest schema, as a server leaves it that has created it and stopped.
 * @param seed writes its first rows; it runs once for each process.
 */
export async function writeNewDatabase(file: string, seed: Seed = empty): Promise<void> {
  let bytes = made.get(seed);
  if (bytes === undefined) made.set(seed, (bytes = migrated(seed)));
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, await bytes, { mode: 0o600, flag: "wx" });
}

/** Opens a new database of the newest schema. */
export async function openNewDatabase(file: string, seed: Seed = empty): Promise<Database> {
  await writeNewDatabase(file, seed);
  return openDatabase(file);
}

async function migrated(seed: Seed): Promise<Uint8Array> {
  const folder = mkdtempSync(join(tmpdir(), "hearth-test-"));
  try {
    const file = join(folder, "hearth.db");
    const database = await openDatabase(file);
    try {
      await seed(database);
    } finally {
      await database.close();
    }
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
