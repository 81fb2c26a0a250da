import type Sqlite from "better-sqlite3";
import type { CompiledQuery, SqliteDatabase } from "kysely";
import { HearthError } from "../core/errors.js";
import { whileUsable } from "./unavailable.js";

/** A statement to be made with others. */
export interface Change {
  readonly query: CompiledQuery;
  /** Rows that it must change; null = as many as there are. */
  readonly rows: number | null;
}

/**
 * Makes several statements, none of which returns rows, in one transaction.
 * @param synced whether it is on the disk itself when this returns. One that is not survives the process, as all do, but may be
 * taken back by a power cut; then all that was written after it is, too.
 * @throws HearthError with nothing made: `conflict` when one of them does not change as many rows as it must, `overloaded` when the
 * database cannot be written just now.
 */
export type Commit = (changes: readonly Change[], synced: boolean) => void;

/**
 * Statements that are made together or not at all. All of it happens in one turn of the event loop, so that nothing else on
 * this connection comes between; a synced one blocks for as long as the disk takes to confirm, a few milliseconds.
 * @param statements of that same connection, kept.
 */
export function createCommit(sqlite: Sqlite.Database, statements: Pick<SqliteDatabase, "prepare">): Commit {
  const all = sqlite.transaction((changes: readonly Change[]) => {
    for (const { query, rows } of changes) {
      const made = statements.prepare(query.sql).run(query.parameters);
      if (rows !== null && Number(made.changes) !== rows)
        throw new HearthError("conflict", "It was changed by somebody else meanwhile. Please try again.");
    }
  });
  return (changes, synced) => {
    if (changes.length === 0) return;
    if (sqlite.inTransaction) throw new Error("another transaction is open on this connection");
    if (!synced) return whileUsable(() => all.immediate(changes));
    // Never a kept statement: SQLite obeys this pragma when it is prepared, not when it is run.
    sqlite.pragma("synchronous = FULL");
    try {
      whileUsable(() => all.immediate(changes));
    } finally {
      sqlite.pragma("synchronous = NORMAL");
    }
  };
}
