import { sql } from "kysely";
import type { Database } from "../../../store/database.js";
import { createWrite, type Write } from "../../../store/writes.js";
import type { Alert } from "../alert.js";

export type AlertStore = ReturnType<typeof createAlertStore>;

/** Creates the queries of the table of alerts. */
export function createAlertStore(database: Database) {
  return { ...createWrites(database), ...createReads(database) };
}

function createWrites({ kysely }: Database) {
  return {
    /** The commit fails with `conflict` when the condition has an active alert. */
    insertion(alert: Alert): Write {
      const query = kysely.insertInto("alerts").values(alert);
      return createWrite("alerts", query.onConflict((conflict) => conflict.doNothing()).compile(), 1);
    },
    /** Writes that an active alert was sent again. */
    repetition: (id: string, sendTime: number): Write =>
      createWrite(
        "alerts",
        kysely
          .updateTable("alerts")
          .set({ sendTime })
          .where("id", "=", id)
          .where("resolveTime", "is", null)
          .compile(),
        1,
      ),
    resolution: (id: string, resolveTime: number): Write =>
      createWrite(
        "alerts",
        kysely
          .updateTable("alerts")
          .set({ resolveTime })
          .where("id", "=", id)
          .where("resolveTime", "is", null)
          .compile(),
        1,
      ),
  };
}

function createReads({ kysely }: Database) {
  return {
    /** Returns the alerts that go on, the oldest first. */
    async active(): Promise<readonly Alert[]> {
      return kysely
        .selectFrom("alerts")
        .selectAll()
        .where("resolveTime", "is", null)
        .orderBy("raiseTime")
        .orderBy("id")
        .execute();
    },
    /** Returns the newest of a team, or of all with null, those that go on first. */
    async newest(teamId: string | null, limit: number): Promise<readonly Alert[]> {
      return kysely
        .selectFrom("alerts")
        .selectAll()
        .$if(teamId !== null, (alerts) => alerts.where("teamId", "=", teamId))
        .orderBy(sql`resolve_time is not null`)
        .orderBy("raiseTime", "desc")
        .orderBy("id", "desc")
        .limit(limit)
        .execute();
    },
    /** Deletes up to `limit` that were resolved before `time`. @returns how many were deleted. */
    async deleteResolved(time: number, limit: number): Promise<number> {
      const { numDeletedRows } = await kysely
        .deleteFrom("alerts")
        .where("id", "in", (alerts) =>
          alerts
            .selectFrom("alerts")
            .select("id")
            .where("raiseTime", "<", time)
            .where("resolveTime", "<", time)
            .limit(limit),
        )
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}
