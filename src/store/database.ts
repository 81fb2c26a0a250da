/**
 * The SQLite file of this server: makes it, opens it, migrates it. The tables' own files hold the queries; nothing outside
 * store/ knows SQL. better-sqlite3 is synchronous: a query blocks the event loop for its microseconds, so every query is an
 * indexed one or bounded.
 */
import { open } from "node:fs/promises";
import { dirname } from "node:path";
import Sqlite from "better-sqlite3";
import { Kysely, sql, SqliteDialect, type SqliteDatabase, type SqliteStatement } from "kysely";
import { createCommit, type Commit } from "./commit.js";
import { codeOf, failure } from "./failure.js";
import { makeFolder } from "./folder.js";
import { migrate } from "./migrate.js";
import type { Schema } from "./schema.js";
import { whileUsable } from "./unavailable.js";

export interface Database {
  readonly kysely: Kysely<Schema>;
  readonly commit: Commit;
  /** Whether it answers a query; never rejects. */
  answers(): Promise<boolean>;
  close(): Promise<void>;
}

/** How long opening waits for another process, which may be migrating. */
const openTimeoutMs = 5000;
/** How long a write waits for another process, such as `hearth keys`: the event loop stands still meanwhile. */
const writeTimeoutMs = 250;
const journalBytesMax = 67_108_864;
/** Pages kept in memory, taken as they are read: with a million keys, those that a request looks at are most of them there. */
const cacheBytesMax = 268_435_456;
const statementsCachedMax = 200;

/**
 * Opens the database, made first where there is none (its folder with mode 700, itself with mode 600), and brings it to the
 * newest schema.
 * @throws Error with one clear sentence: which path and why.
 */
export async function openDatabase(file: string): Promise<Database> {
  await make(file);
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
    const keeping = keepingStatements(sqlite);
    const kysely = new Kysely<Schema>({ dialect: new SqliteDialect({ database: keeping }) });
    const opened = sqlite;
    const close = async (): Promise<void> => {
      await kysely.destroy();
      // kysely closes only what it has used.
      opened.close();
    };
    const commit = createCommit(opened, keeping);
    return { kysely, commit, answers: () => answers(kysely), close };
  } catch (thrown) {
    sqlite?.close();
    throw failure("cannot use the database", file, thrown);
  }
}

/** SQLite would make the file readable to everybody; its -wal and -shm files take their mode from it. */
async function make(file: string): Promise<void> {
  const folder = dirname(file);
  try {
    makeFolder(folder);
  } catch (thrown) {
    throw failure("cannot make the data folder", folder, thrown);
  }
  try {
    await (await open(file, "ax", 0o600)).close();
  } catch (thrown) {
    if (codeOf(thrown) !== "EEXIST") throw failure("cannot make the database", file, thrown);
  }
}

/** Preparing a statement costs more than running it; kysely prepares on every call. */
function keepingStatements(sqlite: Sqlite.Database): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>();
  return {
    close: () => sqlite.close(),
    prepare(text) {
      let statement = statements.get(text);
      if (statement === undefined) {
        if (statements.size >= statementsCachedMax) statements.clear();
        statement = whileUsable(() => telling(sqlite.prepare<readonly unknown[]>(text)));
        statements.set(text, statement);
      }
      return statement;
    },
  };
}

/** The statement, whose failures say what they mean to whoever asked. */
function telling(statement: Sqlite.Statement<readonly unknown[]>): SqliteStatement {
  return {
    reader: statement.reader,
    all: (parameters) => whileUsable(() => statement.all(parameters)),
    run: (parameters) => whileUsable(() => statement.run(parameters)),
    iterate: (parameters) => statement.iterate(parameters),
  };
}

async function answers(kysely: Kysely<Schema>): Promise<boolean> {
  try {
    await sql`select 1 from teams limit 1`.execute(kysely);
    return true;
  } catch {
    return false;
  }
}
