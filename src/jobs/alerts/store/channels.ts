import type { Database } from "../../../store/database.js";
import { createWrite, type Write } from "../../../store/writes.js";
import type { AlertChannel } from "../alert.js";

export type ChannelStore = ReturnType<typeof createChannelStore>;

/** Creates the queries of the table of channels. */
export function createChannelStore({ kysely }: Database) {
  return {
    insertion: (channel: AlertChannel): Write =>
      createWrite("alertChannels", kysely.insertInto("alertChannels").values(channel).compile(), 1),
    /** Its deliveries are deleted with it. The commit fails with `conflict` when it does not exist. */
    removal: (id: string): Write =>
      createWrite("alertChannels", kysely.deleteFrom("alertChannels").where("id", "=", id).compile(), 1),
    async find(id: string): Promise<AlertChannel | null> {
      const row = await kysely
        .selectFrom("alertChannels")
        .selectAll()
        .where("id", "=", id)
        .executeTakeFirst();
      return row ?? null;
    },
    /** Returns the channels of a team, or all with null, in order of creation. */
    async list(teamId: string | null): Promise<readonly AlertChannel[]> {
      return kysely
        .selectFrom("alertChannels")
        .selectAll()
        .$if(teamId !== null, (channels) => channels.where("teamId", "=", teamId))
        .orderBy("createTime")
        .orderBy("id")
        .execute();
    },
  };
}
