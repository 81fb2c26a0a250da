import { sql } from "kysely";
import type { AlertDetails } from "../../../core/report/alerts.js";
import { createRowMapper } from "../../../store/columns.js";
import type { Database } from "../../../store/database.js";
import type { AlertRow } from "../../../store/tables/alerts.js";
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
      const query = kysely.insertInto("alerts").values(toRow(alert));
      return createWrite("alerts", query.onConflict((conflict) => conflict.doNothing()).compile(), 1);
    },
    /** Writes that an active alert was sent again. */
    repetition: (id: string, sendTime: number): Write =>
      createWrite(
        "alerts",
        kysely
          .updateTable("alerts")
          .set({ send_time: sendTime })
          .where("id", "=", id)
          .where("resolve_time", "is", null)
          .compile(),
        1,
      ),
    resolution: (id: string, resolveTime: number): Write =>
      createWrite(
        "alerts",
        kysely
          .updateTable("alerts")
          .set({ resolve_time: resolveTime })
          .where("id", "=", id)
          .where("resolve_time", "is", null)
          .compile(),
        1,
      ),
  };
}

function createReads({ kysely }: Database) {
  return {
    /** Returns the alerts that go on, the oldest first. */
    async active(): Promise<readonly Alert[]> {
      const rows = await kysely
        .selectFrom("alerts")
        .selectAll()
        .where("resolve_time", "is", null)
        .orderBy("raise_time")
        .orderBy("id")
        .execute();
      return rows.map(fromRow);
    },
    /** Returns the newest of a team, or of all with null, those that go on first. */
    async newest(teamId: string | null, limit: number): Promise<readonly Alert[]> {
      const rows = await kysely
        .selectFrom("alerts")
        .selectAll()
        .$if(teamId !== null, (alerts) => alerts.where("team_id", "=", teamId))
        .orderBy(sql`resolve_time is not null`)
        .orderBy("raise_time", "desc")
        .orderBy("id", "desc")
        .limit(limit)
        .execute();
      return rows.map(fromRow);
    },
    /** Deletes up to `limit` that were resolved before `time`. @returns how many were deleted. */
    async deleteResolved(time: number, limit: number): Promise<number> {
      const { numDeletedRows } = await kysely
        .deleteFrom("alerts")
        .where("id", "in", (alerts) =>
          alerts
            .selectFrom("alerts")
            .select("id")
            .where("raise_time", "<", time)
            .where("resolve_time", "<", time)
            .limit(limit),
        )
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}

const { toRow, fromRow } = createRowMapper<Alert, AlertRow>({
  id: "id",
  teamId: "team_id",
  kind: "kind",
  subject: "subject",
  message: "message",
  details: {
    name: "details",
    toStored: (details) => JSON.stringify(details),
    fromStored: (text) => JSON.parse(text) as AlertDetails,
  },
  raiseTime: "raise_time",
  sendTime: "send_time",
  resolveTime: "resolve_time",
});
