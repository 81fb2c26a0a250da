/**
 * Creates, opens and migrates the SQLite file of this server. Queries are in files called store.ts or in folders called
 * store/. better-sqlite3 is synchronous: a query blocks the event loop for microseconds, so every query uses an index or is
 * bounded.
 */
import { open } from "node:fs/promises";
import { dirname } from "node:path";
import Sqlite from "better-sqlite3";
import { Kysely, sql, SqliteDialect, type SqliteDatabase, type SqliteStatement } from "kysely";
import { createCommit, type Commit } from "./commit.js";
import { errorCodeOf, fileError } from "./failure.js";
import { createFolder } from "./folder.js";
import { migrate } from "./migrate.js";
import type { Schema } from "./schema.js";
import { mapUnavailable } from "./unavailable.js";

export interface Database {
  readonly kysely: Kysely<Schema>;
  readonly commit: Commit;
  /** Returns whether a query succeeds; never rejects. */
  isReachable(): Promise<boolean>;
  close(): Promise<void>;
}

/** How long opening waits for a lock of another process, which may be migrating. */
const openTimeoutMs = 5000;
/** How long a write waits for a lock of another process, such as `hearth keys`; it blocks the event loop. */
const writeTimeoutMs = 250;
const journalBytesMax = 67_108_864;
/** Upper bound of the page cache, which holds most pages that requests read even with a million keys. */
const cacheBytesMax = 268_435_456;
const statementsCachedMax = 200;

/**
 * Opens the database and migrates it to the newest schema. Creates the folder (mode 700) and the file (mode 600) if they do not
 * exist.
 * @throws Error with one sentence that names the path and the reason.
 */
export async function openDatabase(file: string): Promise<Database> {
  await createFile(file);
  let sqlite: Sqlite.Database | null = null;
  try {
    sqlite = new Sqlite(file, { timeout: openTimeoutMs });
    sqlite.pragma("journal_mode = WAL");
    sqlite.pragma("synchronous = NORMAL");
    sqlite.pragma("foreign_keys = ON");
    sqlite.pragma(`journal_size_limit = ${journalBytesMax}`);
    sqlite.pragma(`cache_size = -${cacheBytesMax / 1024}`);
    migrate(sqlite);
    sqlite.pragma(`busy_timeout = ${writeTimeoutMs}`);
    const caching = cacheStatements(sqlite);
    const kysely = new Kysely<Schema>({ dialect: new SqliteDialect({ database: caching }) });
    const opened = sqlite;
    const close = async (): Promise<void> => {
      await kysely.destroy();
      // kysely closes the connection only if it has used it.
      opened.close();
    };
    const commit = createCommit(opened, caching);
    return { kysely, commit, isReachable: () => isReachable(kysely), close };
  } catch (thrown) {
    sqlite?.close();
    throw fileError("cannot use the database", file, thrown);
  }
}

/** Creates the file readable by its owner only, unlike SQLite. The -wal and -shm files inherit its mode. */
async function createFile(file: string): Promise<void> {
  const folder = dirname(file);
  try {
    createFolder(folder);
  } catch (thrown) {
    throw fileError("cannot create the data folder", folder, thrown);
  }
  try {
    await (await open(file, "ax", 0o600)).close();
  } catch (thrown) {
    if (errorCodeOf(thrown) !== "EEXIST") throw fileError("cannot create the database", file, thrown);
  }
}

/** Caches prepared statements: kysely prepares on every call, and preparing costs more than executing. */
function cacheStatements(sqlite: Sqlite.Database): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>();
  return {
    close: () => sqlite.close(),
    prepare(text) {
      let statement = statements.get(text);
      if (statement === undefined) {
        if (statements.size >= statementsCachedMax) statements.clear();
        statement = mapUnavailable(() => withReadableErrors(sqlite.prepare<readonly unknown[]>(text)));
        statements.set(text, statement);
      }
      return statement;
    },
  };
}

/** Wraps a statement so that it reports an unavailable database as a HearthError. */
function withReadableErrors(statement: Sqlite.Statement<readonly unknown[]>): SqliteStatement {
  return {
    reader: statement.reader,
    all: (parameters) => mapUnavailable(() => statement.all(parameters)),
    run: (parameters) => mapUnavailable(() => statement.run(parameters)),
    iterate: (parameters) => statement.iterate(parameters),
  };
}

async function isReachable(kysely: Kysely<Schema>): Promise<boolean> {
  try {
    await sql`select 1 from teams limit 1`.execute(kysely);
    return true;
  } catch {
    return false;
  }
}
