import type { CompiledQuery } from "kysely";
import type { Write, Writes } from "../core/write.js";
import type { Database } from "./database.js";
import type { Schema } from "./schema.js";

/** A change as this folder's stores prepare it: a statement with its values. */
class CompiledWrite implements Write {
  constructor(
    readonly table: keyof Schema,
    readonly query: CompiledQuery,
  ) {}
}

/** A change that a store gives out; its query returns no rows. */
export function writeOf(table: keyof Schema, query: CompiledQuery): Write {
  return new CompiledWrite(table, query);
}

/** Where the stores of this database have their changes made together. */
export function createWrites(database: Database): Writes {
  return {
    // async: whatever is thrown becomes a rejection.
    async commit(writes) {
      database.commit(queriesOf(writes), true);
    },
  };
}

/** The statements of these changes. @throws Error when one of them was not made by a store of this folder. */
export function queriesOf(writes: readonly Write[]): readonly CompiledQuery[] {
  return writes.map((write) => {
    if (write instanceof CompiledWrite) return write.query;
    throw new Error(`a change of '${write.table}' was prepared by another store`);
  });
}
