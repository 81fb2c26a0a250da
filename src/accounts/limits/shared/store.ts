/** The queries of the windows that all servers of a database share. */
import { sql } from "kysely";
import { SqlArray } from "../../../store/rows.js";
import type { Database } from "../../../store/database.js";
import type { CountRow, SharedWindows } from "./shared-windows.js";

/** Windows that `rate_sweep` looks at, at most. */
const sweptAtOnce = 10_000;

export function createSharedWindowStore({ kysely }: Database): SharedWindows {
  return {
    async take(earlier, earlierAt, wanted, at) {
      const all = [...earlier, ...wanted];
      const list = (name: "span" | "most" | "amount") => new SqlArray(all.map((record) => record[name]));
      const quotas = new SqlArray(all.map(({ quota }) => quota));
      const query = sql<CountRow>`select * from rate_count(${quotas}, ${list("span")}, ${list("most")}, ${list("amount")},
        ${earlier.length}, ${earlierAt}, ${at})`;
      return (await query.execute(kysely)).rows;
    },
    async correct(windows, difference, countedAt, at) {
      const quotas = new SqlArray(windows.map(({ quota }) => quota));
      await sql`select rate_adjust(${quotas}, ${difference}, ${countedAt}, ${at})`.execute(kysely);
    },
    async sweep(at) {
      const query = sql<{ readonly seen: number }>`select rate_sweep(${at}) as seen`;
      let seen = sweptAtOnce;
      while (seen === sweptAtOnce) seen = (await query.execute(kysely)).rows[0]?.seen ?? 0;
    },
  };
}
