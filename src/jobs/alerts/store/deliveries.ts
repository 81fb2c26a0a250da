import { createRowMapper } from "../../../store/columns.js";
import type { Database } from "../../../store/database.js";
import type { AlertDeliveryRow } from "../../../store/tables/alerts.js";
import { createWrite, type Write } from "../../../store/writes.js";
import type { AlertDelivery } from "../alert.js";

export type DeliveryStore = ReturnType<typeof createDeliveryStore>;

export interface DeliveryQuery {
  readonly channelIds: readonly string[];
  readonly limit: number;
}

/** Creates the queries of the queue of deliveries. */
export function createDeliveryStore(database: Database) {
  return { ...createWrites(database), ...createQueue(database), ...createLists(database) };
}

function createWrites({ kysely }: Database) {
  return {
    insertion: (delivery: AlertDelivery): Write =>
      createWrite(
        "alert_deliveries",
        kysely.insertInto("alert_deliveries").values(toRow(delivery)).compile(),
      ),
    /** Writes how an attempt ended; does nothing when the delivery was deleted. */
    attempt(
      id: string,
      change: Pick<AlertDelivery, "state" | "attempts" | "nextTime" | "endTime" | "error">,
    ): Write {
      const query = kysely
        .updateTable("alert_deliveries")
        .set({
          state: change.state,
          attempts: change.attempts,
          next_time: change.nextTime,
          end_time: change.endTime,
          error: change.error,
        })
        .where("id", "=", id);
      return createWrite("alert_deliveries", query.compile());
    },
  };
}

function createQueue({ kysely }: Database) {
  return {
    /** Returns queued ones that are due at `now`, the longest due first. @param except ids of those that are being sent. */
    async due(now: number, except: readonly string[], limit: number): Promise<readonly AlertDelivery[]> {
      const rows = await kysely
        .selectFrom("alert_deliveries")
        .selectAll()
        .where("state", "=", "queued")
        .where("next_time", "<=", now)
        .$if(except.length > 0, (deliveries) => deliveries.where("id", "not in", except))
        .orderBy("next_time")
        .limit(limit)
        .execute();
      return rows.map(fromRow);
    },
    /** Returns when the next queued one is due; null when there is none. @param except ids of those that are being sent. */
    async nextTime(except: readonly string[]): Promise<number | null> {
      const row = await kysely
        .selectFrom("alert_deliveries")
        .select("next_time")
        .where("state", "=", "queued")
        .$if(except.length > 0, (deliveries) => deliveries.where("id", "not in", except))
        .orderBy("next_time")
        .limit(1)
        .executeTakeFirst();
      return row?.next_time ?? null;
    },
  };
}

function createLists({ kysely }: Database) {
  return {
    /** Returns how many a channel has queued. */
    async countQueued(channelId: string): Promise<number> {
      const { count } = await kysely
        .selectFrom("alert_deliveries")
        .select((delivery) => delivery.fn.countAll<number>().as("count"))
        .where("channel_id", "=", channelId)
        .where("state", "=", "queued")
        .executeTakeFirstOrThrow();
      return count;
    },
    /** Returns the newest of some channels, the newest first. */
    async newest({ channelIds, limit }: DeliveryQuery): Promise<readonly AlertDelivery[]> {
      if (channelIds.length === 0) return [];
      const rows = await kysely
        .selectFrom("alert_deliveries")
        .selectAll()
        .where("channel_id", "in", channelIds)
        .orderBy("create_time", "desc")
        .orderBy("id", "desc")
        .limit(limit)
        .execute();
      return rows.map(fromRow);
    },
    /** Deletes up to `limit` that ended before `time`. @returns how many were deleted. */
    async deleteEnded(time: number, limit: number): Promise<number> {
      const { numDeletedRows } = await kysely
        .deleteFrom("alert_deliveries")
        .where("id", "in", (deliveries) =>
          deliveries.selectFrom("alert_deliveries").select("id").where("end_time", "<", time).limit(limit),
        )
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}

const { toRow, fromRow } = createRowMapper<AlertDelivery, AlertDeliveryRow>({
  id: "id",
  channelId: "channel_id",
  alertId: "alert_id",
  event: "event",
  body: "body",
  state: "state",
  attempts: "attempts",
  nextTime: "next_time",
  createTime: "create_time",
  endTime: "end_time",
  error: "error",
});
