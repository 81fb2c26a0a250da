import { sql } from "kysely";
import type { KeyUseStore } from "./key-use-port.js";
import type { Database } from "../../store/database.js";

/**
 * When keys were last used, in a column of both tables of keys. It is written apart from all else of a key, and not synced: a
 * power cut may take some minutes of it back.
 */
export function createKeyUseStore({ kysely, commit }: Database): KeyUseStore {
  return {
    // async: whatever is thrown becomes a rejection.
    async write(lastUseTimes) {
      const times = JSON.stringify(Object.fromEntries(lastUseTimes));
      const changes = (["api_keys", "management_keys"] as const).map((table) => {
        const used = sql`update ${sql.table(table)} set last_use_time = used.value
          from json_each(${times}) as used where ${sql.ref(`${table}.id`)} = used.key`;
        return { query: used.compile(kysely), rows: null };
      });
      commit(changes, false);
    },
  };
}
