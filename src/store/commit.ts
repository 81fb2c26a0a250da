import type Sqlite from "better-sqlite3";
import type { CompiledQuery, SqliteDatabase } from "kysely";
import { HearthError } from "../core/errors.js";
import { mapUnavailable } from "./dialect/database-error.js";

/** A statement that is executed together with others. */
export interface Statement {
  /** The table that it changes; absent: not of interest. */
  readonly table?: string;
  readonly query: CompiledQuery;
  /** The number of rows it must change; null = any. */
  readonly rows: number | null;
}

/**
 * Executes several statements, none of which returns rows, in one transaction.
 * @param synced whether to wait until the transaction is synced to disk. An unsynced transaction survives a killed process, but
 * a power cut may undo it together with everything written after it.
 * @throws HearthError `conflict` when a statement does not change as many rows as it must, `overloaded` when the database
 * currently cannot be written; nothing is written then.
 */
export type Commit = (changes: readonly Statement[], synced: boolean) => Promise<void>;

/**
 * Creates the commit function of a SQLite connection. A commit runs within the turn of the event loop in which it is called, so no
 * other statement of this connection interleaves. A synced commit blocks until the disk confirms, a few milliseconds.
 * @param statements cached prepared statements of the same connection.
 */
export function createCommit(
  sqlite: Sqlite.Database,
  statements: SqliteDatabase,
): (changes: readonly Statement[], synced: boolean) => void {
  const all = sqlite.transaction((changes: readonly Statement[]) => {
    for (const { query, rows } of changes) {
      const result = statements.prepare(query.sql).run(query.parameters);
      if (rows !== null && Number(result.changes) !== rows) throw conflict();
    }
  });
  return (changes, synced) => {
    if (changes.length === 0) return;
    if (sqlite.inTransaction) throw new Error("another transaction is open on this connection");
    if (!synced) return mapUnavailable(() => all.immediate(changes));
    // Never a cached statement: SQLite applies this pragma when it is prepared, not when it is run.
    sqlite.pragma("synchronous = FULL");
    try {
      mapUnavailable(() => all.immediate(changes));
    } finally {
      sqlite.pragma("synchronous = NORMAL");
    }
  };
}

/** The error of a statement that has not changed as many rows as it must. */
export function conflict(): HearthError {
  return new HearthError("conflict", "It was changed by another request. Please try again.");
}
