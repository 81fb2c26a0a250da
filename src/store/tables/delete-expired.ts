import { sql } from "kysely";
import type { Database } from "../database.js";

/** A table whose rows expire at `expire_time`, with the column that identifies a row. */
type Expiring =
  | { readonly table: "consoleSessions"; readonly key: "id" }
  | { readonly table: "chatCompletions"; readonly key: "entry" }
  | { readonly table: "deferredCompletions"; readonly key: "id" }
  | { readonly table: "runLabels" | "requestBodies"; readonly key: "runId" };

/** Deletes up to `limit` rows that have expired, the oldest first. @returns how many were deleted. */
export async function deleteExpired(
  kysely: Database["kysely"],
  { table, key }: Expiring,
  now: number,
  limit: number,
): Promise<number> {
  const [rows, id] = [sql.table(table), sql.ref(key)];
  const expired = sql`select ${id} from ${rows} where expire_time <= ${now} order by expire_time limit ${limit}`;
  const { numAffectedRows } = await sql`delete from ${rows} where ${id} in (${expired})`.execute(kysely);
  return Number(numAffectedRows ?? 0);
}
