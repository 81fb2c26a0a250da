/** The queries of the windows that all servers of a database share. */
import { sql } from "kysely";
import type { Database } from "../../../store/database.js";
import type { CountRow, SharedWindows } from "./shared-windows.js";

/** Windows that `rate_sweep` looks at, at most. */
const sweptAtOnce = 10_000;

export function createSharedWindowStore({ kysely }: Pick<Database, "kysely">): SharedWindows {
  return {
    async take(earlier, earlierAt, wanted, at) {
      const query = sql<CountRow>`select * from rate_take(${jsonOf(earlier)}, ${earlierAt}, ${jsonOf(wanted)}, ${at})`;
      return (await query.execute(kysely)).rows;
    },
    async correct(quotas, difference, countedAt, at) {
      await sql`select rate_correct(${jsonOf(quotas)}, ${difference}, ${countedAt}, ${at})`.execute(kysely);
    },
    async sweep(at) {
      const query = sql<{ readonly seen: number }>`select rate_sweep(${at}) as seen`;
      let seen = sweptAtOnce;
      while (seen === sweptAtOnce) seen = (await query.execute(kysely)).rows[0]?.seen ?? 0;
    },
  };
}

function jsonOf(value: unknown) {
  return sql`cast(${JSON.stringify(value)} as jsonb)`;
}
