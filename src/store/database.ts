/**
 * Creates, opens and migrates the SQLite file of this server. Queries are in files called store.ts or in folders called
 * store/. better-sqlite3 is synchronous: a query blocks the event loop for microseconds, so every query uses an index or is
 * bounded. Those that may read many rows are read by `reports`, in threads of their own.
 */
import { open } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { statSync } from "node:fs";
import type Sqlite from "better-sqlite3";
import { sql, SqliteDialect, type Kysely, type SqliteDatabase, type SqliteStatement } from "kysely";
import { noBroadcast, type Broadcast } from "../core/broadcast.js";
import { createOnlyNode, type NodeStore } from "./nodes.js";
import { createKysely } from "./kysely.js";
import { createCommit, type Commit } from "./commit.js";
import { connectSqlite, type Connect } from "./sqlite/connect.js";
import { createStatement } from "./sqlite/statement.js";
import { createReportKysely } from "./sqlite/reports/driver.js";
import { ReportReader } from "./sqlite/reports/reader.js";
import { mapUnavailable } from "./dialect/database-error.js";
import type { Dialect } from "./dialect/dialect.js";
import { sqliteDialect } from "./dialect/sqlite.js";
import { readErrorCode, fileError, explainFailure } from "../system/file-errors.js";
import { createDataFolder } from "../system/folder.js";
import { checkFileExists, checkVersionExists, mark, type NewDatabase } from "./lost-database.js";
import { migrate, readVersion } from "./migrate.js";
import type { Schema } from "./tables.js";
import { createWriteGuard, type WriteGuard } from "./write-guard.js";

export interface Database {
  readonly kysely: Kysely<Schema>;
  /**
   * For statements that may read many rows, which hold neither the event loop nor the connections of requests. Single statements that read,
   * each of what was committed before it.
   */
  readonly reports: Kysely<Schema>;
  readonly dialect: Dialect;
  readonly commit: Commit;
  readonly guard: WriteGuard;
  /** Calls a listener after every statement that has deleted rows. */
  onDeletion(listener: () => void): void;
  /**
   * Removes deleted rows from the write-ahead log and returns free pages to the file system; deleting has already overwritten them in
   * the database file. Does nothing while another process reads the log. It blocks for a few milliseconds.
   */
  erase(): void;
  /** Reaches the other servers of the database. */
  readonly broadcast: Broadcast;
  readonly nodes: NodeStore;
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
/** More than the program has: see `connectSqlite` for why none should be dropped. */
const statementsCachedMax = 1000;
/** Free pages that one erasure returns to the file system. */
const vacuumPagesMax = 2000;
/** Files up to this size are rewritten once, when they are from a version that did not overwrite deleted rows. */
const rewrittenBytesMax = 268_435_456;

interface Opening {
  readonly newDatabase?: NewDatabase;
  readonly connect?: Connect;
  /** The compiled thread that reads for reports; null: they are read on the connection, as for commands. */
  readonly reportsWorkerUrl?: URL | null;
}

/**
 * Opens the database and migrates it to the newest schema. Creates the folder (mode 700) and the file (mode 600) if they do not
 * exist.
 * @param opening.newDatabase whether an empty database may take the place of one that is missing or empty.
 * @param opening.connect opens the connection; the simulation passes one that fails at chosen statements.
 * @throws Error with one sentence that names the path and the reason.
 */
export async function openDatabase(
  file: string,
  { newDatabase = "refused", connect = connectSqlite, reportsWorkerUrl = null }: Opening = {},
): Promise<Database> {
  await createFile(file, newDatabase);
  let sqlite: Sqlite.Database | null = null;
  try {
    sqlite = connect(file, { timeout: openTimeoutMs });
    prepareFile(sqlite, file, newDatabase);
    const guard = guardWrites(file, sqlite);
    const listeners: (() => void)[] = [];
    const caching = cacheStatements(sqlite, guard, () => {
      for (const listener of listeners) listener();
    });
    const kysely = createKysely(new SqliteDialect({ database: caching }));
    const opened = sqlite;
    const reports =
      reportsWorkerUrl === null ? kysely : createReportKysely(new ReportReader(file, reportsWorkerUrl));
    const close = async (): Promise<void> => {
      if (reports !== kysely) await reports.destroy();
      await kysely.destroy();
      // kysely closes the connection only if it has used it.
      opened.close();
    };
    const unguarded = createCommit(opened, caching);
    // async: an exception becomes a rejection.
    const commit: Commit = async (changes, synced) => {
      if (changes.length > 0) guard.guard(() => unguarded(changes, synced), synced);
    };
    return {
      kysely,
      reports,
      dialect: sqliteDialect,
      commit,
      guard,
      broadcast: noBroadcast,
      nodes: createOnlyNode(),
      onDeletion: (listener) => void listeners.push(listener),
      erase: () => mapUnavailable(() => erase(opened)),
      isReachable: () => isReachable(kysely),
      close,
    };
  } catch (thrown) {
    sqlite?.close();
    throw fileError("cannot use the database", file, thrown);
  }
}

function prepareFile(sqlite: Sqlite.Database, file: string, newDatabase: NewDatabase): void {
  configure(sqlite);
  checkVersionExists(file, readVersion(sqlite), newDatabase);
  migrate(sqlite);
  mark(file);
  rewriteOnce(sqlite);
  sqlite.pragma(`busy_timeout = ${writeTimeoutMs}`);
}

function configure(sqlite: Sqlite.Database): void {
  // Before the first table is created.
  sqlite.pragma("auto_vacuum = INCREMENTAL");
  sqlite.pragma("secure_delete = ON");
  sqlite.pragma("journal_mode = WAL");
  sqlite.pragma("synchronous = NORMAL");
  // On macOS a plain sync leaves the cache of the drive as it is. Other systems ignore both.
  sqlite.pragma("fullfsync = ON");
  sqlite.pragma("checkpoint_fullfsync = ON");
  sqlite.pragma("foreign_keys = ON");
  sqlite.pragma(`journal_size_limit = ${journalBytesMax}`);
  sqlite.pragma(`cache_size = -${cacheBytesMax / 1024}`);
}

/**
 * Rewrites a database that was created without `auto_vacuum`: only then can it be turned on. What was deleted before disappears. It fails
 * while another process has the file open, or when the disk is nearly full.
 */
function rewriteOnce(sqlite: Sqlite.Database): void {
  const pragma = (name: string): number => Number(sqlite.pragma(name, { simple: true }));
  const bytes = pragma("page_count") * pragma("page_size");
  if (pragma("auto_vacuum") !== 0 || bytes > rewrittenBytesMax) return;
  try {
    sqlite.exec("vacuum");
  } catch {
    // The database is as good as before: another start tries again.
  }
}

function erase(sqlite: Sqlite.Database): void {
  sqlite.pragma(`incremental_vacuum(${vacuumPagesMax})`);
  sqlite.pragma("wal_checkpoint(TRUNCATE)");
}

/** Creates the file readable by its owner only, unlike SQLite. The -wal and -shm files inherit its mode. */
async function createFile(file: string, newDatabase: NewDatabase): Promise<void> {
  const folder = dirname(file);
  try {
    createDataFolder(folder);
  } catch (thrown) {
    throw fileError("cannot create the data folder", folder, thrown);
  }
  try {
    checkFileExists(file, newDatabase);
  } catch (thrown) {
    throw fileError("cannot use the database", file, thrown);
  }
  try {
    await (await open(file, "ax", 0o600)).close();
  } catch (thrown) {
    if (readErrorCode(thrown) !== "EEXIST") throw fileError("cannot create the database", file, thrown);
  }
}

/** Guards the writes of an open database. SQLite keeps both files open, and deletes none before the database is closed. */
function guardWrites(file: string, sqlite: Sqlite.Database): WriteGuard {
  const name = basename(file);
  const lostFile = watchOpenFiles([
    { path: file, name, canBeEmpty: false },
    { path: `${file}-wal`, name: `${name}-wal`, canBeEmpty: true },
  ]);
  return createWriteGuard(() => {
    const lost = sqlite.open ? lostFile() : null;
    return lost === null ? null : `the database file ${lost}`;
  });
}

/** Caches prepared statements: kysely prepares on every call, and preparing costs more than executing. */
function cacheStatements(sqlite: Sqlite.Database, guard: WriteGuard, deleted: () => void): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>();
  return {
    close: () => sqlite.close(),
    prepare(text) {
      let statement = statements.get(text);
      if (statement === undefined) {
        if (statements.size >= statementsCachedMax) statements.clear();
        const prepared = mapUnavailable(() =>
          withReadableErrors(sqlite, guard, sqlite.prepare<readonly unknown[]>(text)),
        );
        statement = /^\s*delete /i.test(text) ? reporting(prepared, deleted) : prepared;
        statements.set(text, statement);
      }
      return statement;
    },
  };
}

/** Wraps a deletion so that it reports that it has deleted rows. */
function reporting(statement: SqliteStatement, deleted: () => void): SqliteStatement {
  return {
    ...statement,
    all(parameters) {
      const rows = statement.all(parameters);
      if (rows.length > 0) deleted();
      return rows;
    },
    run(parameters) {
      const result = statement.run(parameters);
      if (result.changes > 0) deleted();
      return result;
    },
  };
}

/** Wraps a statement so that it reports an unavailable database as a HearthError, and is guarded when it writes on its own. */
function withReadableErrors(
  sqlite: Sqlite.Database,
  { guard }: WriteGuard,
  statement: Sqlite.Statement<readonly unknown[]>,
): SqliteStatement {
  const execute = <Result>(action: () => Result): Result =>
    statement.readonly || sqlite.inTransaction
      ? mapUnavailable(action)
      : guard(() => mapUnavailable(action), false);
  const unguarded = createStatement(statement);
  return {
    ...unguarded,
    all: (parameters) => execute(() => unguarded.all(parameters)),
    run: (parameters) => execute(() => unguarded.run(parameters)),
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

/**
 * Remembers which files a database was opened from, and returns a function that says what has happened to them since: null, or that
 * one was removed, replaced or emptied. Writes to such a file succeed and are lost when the process ends.
 * @param files paths of files that are open and have content.
 */
function watchOpenFiles(files: readonly OpenFile[]): () => string | null {
  const opened = files.map((file) => ({ ...file, id: readId(file.path) }));
  return () => {
    for (const { path, name, id, canBeEmpty } of opened) {
      const found = describe(path, id, canBeEmpty);
      if (found !== null) return `${name} ${found}`;
    }
    return null;
  };
}

interface OpenFile {
  readonly path: string;
  /** What the operator is shown, instead of the path. */
  readonly name: string;
  readonly canBeEmpty: boolean;
}

function describe(path: string, id: string, canBeEmpty: boolean): string | null {
  try {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined) return "was removed";
    if (`${stats.dev}:${stats.ino}` !== id) return "was replaced";
    return stats.size === 0n && !canBeEmpty ? "was emptied" : null;
  } catch (thrown) {
    return `cannot be read: ${explainFailure(thrown)}`;
  }
}

/** The numbers of an open file's device and inode are not given to another file. */
function readId(path: string): string {
  const { dev, ino } = statSync(path, { bigint: true });
  return `${dev}:${ino}`;
}
