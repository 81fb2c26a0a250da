import { createRowMapper } from "../../../store/columns.js";
import type { Database } from "../../../store/database.js";
import type { AlertChannelRow } from "../../../store/tables/alerts.js";
import { createWrite, type Write } from "../../../store/writes.js";
import type { AlertChannel } from "../alert.js";

export type ChannelStore = ReturnType<typeof createChannelStore>;

/** Creates the queries of the table of channels. */
export function createChannelStore({ kysely }: Database) {
  return {
    insertion: (channel: AlertChannel): Write =>
      createWrite("alert_channels", kysely.insertInto("alert_channels").values(toRow(channel)).compile(), 1),
    /** Its deliveries are deleted with it. The commit fails with `conflict` when it does not exist. */
    removal: (id: string): Write =>
      createWrite("alert_channels", kysely.deleteFrom("alert_channels").where("id", "=", id).compile(), 1),
    async find(id: string): Promise<AlertChannel | null> {
      const row = await kysely
        .selectFrom("alert_channels")
        .selectAll()
        .where("id", "=", id)
        .executeTakeFirst();
      return row === undefined ? null : fromRow(row);
    },
    /** Returns the channels of a team, or all with null, in order of creation. */
    async list(teamId: string | null): Promise<readonly AlertChannel[]> {
      const rows = await kysely
        .selectFrom("alert_channels")
        .selectAll()
        .$if(teamId !== null, (channels) => channels.where("team_id", "=", teamId))
        .orderBy("create_time")
        .orderBy("id")
        .execute();
      return rows.map(fromRow);
    },
  };
}

const { toRow, fromRow } = createRowMapper<AlertChannel, AlertChannelRow>({
  id: "id",
  teamId: "team_id",
  kind: "kind",
  target: "target",
  secret: "secret",
  creditTicks: "credit_ticks",
  createTime: "create_time",
});
