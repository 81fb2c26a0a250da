import type { CompiledQuery } from "kysely";
import type { Write, Writes } from "./write.js";
import type { Change } from "./commit.js";
import type { Database } from "./database.js";
import type { Schema } from "./schema.js";

/** A change as this folder's stores prepare it: a statement with its values. */
class CompiledWrite implements Write {
  constructor(
    readonly table: keyof Schema,
    readonly change: Change,
  ) {}
}

/** A change that a store gives out; its query returns no rows. @param rows how many it must change; null = whatever there is. */
export function writeOf(table: keyof Schema, query: CompiledQuery, rows: number | null = null): Write {
  return new CompiledWrite(table, { query, rows });
}

/** Where the stores of this database have their changes made together. */
export function createWrites(database: Database): Writes {
  return {
    // async: whatever is thrown becomes a rejection.
    async commit(writes) {
      database.commit(changesOf(writes), true);
    },
  };
}

/** The statements of these changes. @throws Error when one of them was not made by a store of this folder. */
export function changesOf(writes: readonly Write[]): readonly Change[] {
  return writes.map((write) => {
    if (write instanceof CompiledWrite) return write.change;
    throw new Error(`a change of '${write.table}' was prepared by another store`);
  });
}
