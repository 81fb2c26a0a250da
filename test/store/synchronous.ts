import { sql } from "kysely";
import type { Write } from "../../src/store/write.js";
import type { Database } from "../../src/store/database.js";
import { writeOf } from "../../src/store/writes.js";

/** SQLite's numbers for `PRAGMA synchronous`: with the first a commit waits for the disk in write-ahead mode. */
export const [full, normal] = [2, 1] as const;

/** A change that writes down, as the weight of `team-1`, how the transaction it stands in will be committed. */
export function noteSynchronous({ kysely }: Database): Write {
  const weight = sql<number>`(select synchronous from pragma_synchronous)`;
  return writeOf("teams", kysely.updateTable("teams").set({ weight }).where("id", "=", "team-1").compile());
}

export async function notedSynchronous({ kysely }: Database): Promise<number | undefined> {
  const team = await kysely
    .selectFrom("teams")
    .select("weight")
    .where("id", "=", "team-1")
    .executeTakeFirst();
  return team?.weight;
}

/** How a statement of its own is committed. */
export async function synchronousNow({ kysely }: Database): Promise<number | undefined> {
  const { rows } = await sql<{ synchronous: number }>`pragma synchronous`.execute(kysely);
  return rows[0]?.synchronous;
}
