import type Sqlite from "better-sqlite3";
import type { CompiledQuery, SqliteDatabase } from "kysely";

/**
 * Makes several statements, none of which returns rows, in one transaction.
 * @param synced whether it is on the disk itself when this returns. One that is not survives the process, as all do, but may be
 * taken back by a power cut; then all that was written after it is, too.
 */
export type Commit = (queries: readonly CompiledQuery[], synced: boolean) => void;

/**
 * Statements that are made together or not at all. All of it happens in one turn of the event loop, so that nothing else on
 * this connection comes between; a synced one blocks for as long as the disk takes to confirm, a few milliseconds.
 * @param statements of that same connection, kept.
 */
export function createCommit(sqlite: Sqlite.Database, statements: Pick<SqliteDatabase, "prepare">): Commit {
  const all = sqlite.transaction((queries: readonly CompiledQuery[]) => {
    for (const query of queries) statements.prepare(query.sql).run(query.parameters);
  });
  return (queries, synced) => {
    if (queries.length === 0) return;
    if (sqlite.inTransaction) throw new Error("another transaction is open on this connection");
    if (!synced) return all.immediate(queries);
    // Never a kept statement: SQLite obeys this pragma when it is prepared, not when it is run.
    sqlite.pragma("synchronous = FULL");
    try {
      all.immediate(queries);
    } finally {
      sqlite.pragma("synchronous = NORMAL");
    }
  };
}
