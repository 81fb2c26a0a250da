import { sql } from "kysely";
import type { Write } from "../../src/store/writes.js";
import type { Database } from "../../src/store/database.js";
import { createWrite } from "../../src/store/writes.js";

/** Values of `PRAGMA synchronous`: with the first one a commit in write-ahead mode waits for the disk. */
export const [full, normal] = [2, 1] as const;

/** Returns a write that records, as the weight of `team-1`, the mode of the transaction that contains it. */
export function recordSynchronous({ kysely }: Database): Write {
  const weight = sql<number>`(select synchronous from pragma_synchronous)`;
  return createWrite(
    "teams",
    kysely.updateTable("teams").set({ weight }).where("id", "=", "team-1").compile(),
  );
}

export async function recordedSynchronous({ kysely }: Database): Promise<number | undefined> {
  const team = await kysely
    .selectFrom("teams")
    .select("weight")
    .where("id", "=", "team-1")
    .executeTakeFirst();
  return team?.weight;
}

/** Returns the mode of a statement outside of a transaction. */
export async function currentSynchronous({ kysely }: Database): Promise<number | undefined> {
  const { rows } = await sql<{ synchronous: number }>`pragma synchronous`.execute(kysely);
  return rows[0]?.synchronous;
}
