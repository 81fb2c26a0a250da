import type { Database } from "../../store/database.js";
import { deleteExpired } from "../../store/tables/delete-expired.js";
import type { Row } from "../../store/tables.js";
import { createWrite, type Write } from "../../store/writes.js";

/** What a run has read and written. */
export type StoredBodies = Row<"requestBodies">;

export type RequestBodyStore = ReturnType<typeof createRequestBodyStore>;

/** Creates the queries of the table of bodies. Triggers add up their bytes, and delete the bodies of deleted runs. */
export function createRequestBodyStore({ kysely }: Database) {
  return {
    /** Stores nothing for a team that has turned it off in the meantime. */
    insert: (bodies: StoredBodies) => insert(kysely, bodies),
    async find(runId: string): Promise<StoredBodies | null> {
      const row = await kysely
        .selectFrom("requestBodies")
        .selectAll()
        .where("runId", "=", runId)
        .executeTakeFirst();
      return row ?? null;
    },
    /** The commit fails with `conflict` when there are none. */
    removal: (runId: string): Write =>
      createWrite(
        "requestBodies",
        kysely.deleteFrom("requestBodies").where("runId", "=", runId).compile(),
        1,
      ),
    async totalBytes(): Promise<number> {
      const row = await kysely.selectFrom("requestBodiesTotal").select("bytes").executeTakeFirst();
      return row?.bytes ?? 0;
    },
    /** @returns how many were deleted. */
    async deleteOldest(limit: number): Promise<number> {
      const oldest = kysely
        .selectFrom("requestBodies")
        .select("runId")
        .orderBy("createTime")
        .orderBy("runId")
        .limit(limit);
      const { numDeletedRows } = await kysely
        .deleteFrom("requestBodies")
        .where("runId", "in", oldest)
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
    /** Deletes up to `limit` that have expired. @returns how many were deleted. */
    deleteExpired: (now: number, limit: number): Promise<number> =>
      deleteExpired(kysely, { table: "requestBodies", key: "runId" }, now, limit),
  };
}

async function insert(kysely: Database["kysely"], bodies: StoredBodies): Promise<void> {
  const names = Object.keys(bodies) as (keyof StoredBodies)[];
  const ofTeam = kysely
    .selectFrom("teams")
    .select((value) => names.map((name) => value.val(bodies[name]).as(name)))
    .where("teams.id", "=", bodies.teamId)
    .where("teams.keepsBodies", "=", true);
  await kysely.insertInto("requestBodies").columns(names).expression(ofTeam).execute();
}
