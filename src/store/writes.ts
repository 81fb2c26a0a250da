import type { CompiledQuery } from "kysely";
import type { Statement } from "./commit.js";
import type { Database } from "./database.js";
import type { Schema } from "./tables.js";

/**
 * A change that a store has prepared and not yet executed. Stores return writes so that changes to several tables are
 * committed together.
 */
export interface Write {
  readonly table: keyof Schema;
  readonly change: Statement;
}

/**
 * Prepares a write.
 * @param query a statement that returns no rows.
 * @param rows the number of rows it must change; null = any.
 */
export function createWrite(table: keyof Schema, query: CompiledQuery, rows: number | null = null): Write {
  return { table, change: { table, query, rows } };
}

/** Commits prepared writes. */
export type Writes = ReturnType<typeof createWrites>;

/** Creates the object that commits the writes of a database's stores. */
export function createWrites(database: Database) {
  return {
    /**
     * Executes all writes in one transaction, in order. Resolves when they are synced to disk, so that neither a killed
     * process nor a power cut undoes them.
     * @throws HearthError `conflict` when a write does not change as many rows as it must; then nothing is written.
     */
    commit: (writes: readonly Write[]): Promise<void> => database.commit(listStatements(writes), true),
  };
}

/** Returns the statements of the writes. */
export function listStatements(writes: readonly Write[]): readonly Statement[] {
  return writes.map(({ change }) => change);
}
