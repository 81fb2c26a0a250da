/** New databases for tests: a migration takes 14 ms of CPU time, a copy of a migrated file 1 ms. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { openDatabase, type Database } from "../../../src/store/database.js";
import { newPostgresUrl, onPostgres, openBeside } from "./postgres/databases.js";

/** Writes the first rows of a database. */
export type Seed = (database: Database) => Promise<void>;
type Finished = Parameters<typeof newPostgresUrl>[0];

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

/** The addresses of the PostgreSQL databases that stand for SQLite's files. */
const urls = new Map<string, string>();

/** Opens a new database of the newest schema: on PostgreSQL, where this process tests that. */
export async function openNewDatabase(
  file: string,
  seed: Seed = empty,
  finished?: Finished,
): Promise<Database> {
  if (onPostgres) {
    const database = await openBeside(await postgresUrlFor(file, finished));
    await seed(database);
    return database;
  }
  await writeNewDatabase(file, seed);
  return openDatabase(file);
}

/** Returns the address of the PostgreSQL database that stands for a SQLite file; the first call creates it. */
export async function postgresUrlFor(file: string, finished?: Finished): Promise<string> {
  const url = urls.get(file) ?? (await newPostgresUrl(finished));
  urls.set(file, url);
  return url;
}

/** Opens another connection to a database of this file's tests, as a command does beside a server. */
export function openAgain(file: string): Promise<Database> {
  const url = urls.get(file);
  return url === undefined ? openDatabase(file) : openBeside(url);
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
