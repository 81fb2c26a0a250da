import { sql } from "kysely";
import type { Database } from "../../store/database.js";

export type KeyUseStore = ReturnType<typeof createKeyUseStore>;

/** Creates the statement that stores when API keys and management keys were last used. */
export function createKeyUseStore({ kysely, dialect, commit }: Database) {
  return {
    /**
     * Stores the time of last use, in milliseconds since the epoch, by key id; all or none. Unknown ids are ignored. The
     * write is not synced: a power cut may undo the last minutes.
     */
    async write(lastUseTimes: ReadonlyMap<string, number>): Promise<void> {
      const times = JSON.stringify(Object.fromEntries(lastUseTimes));
      const changes = (["apiKeys", "managementKeys"] as const).map((table) => {
        const used = sql`update ${sql.table(table)} set last_use_time = used.value
          from ${dialect.selectNumbers(times)} as used where ${sql.ref(`${table}.id`)} = used.key`;
        return { query: used.compile(kysely), rows: null };
      });
      await commit(changes, false);
    },
  };
}
