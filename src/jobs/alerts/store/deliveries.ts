import type { Database } from "../../../store/database.js";
import { createWrite, type Write } from "../../../store/writes.js";
import type { AlertDelivery } from "../alert.js";

export type DeliveryStore = ReturnType<typeof createDeliveryStore>;

interface DeliveryQuery {
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
      createWrite("alertDeliveries", kysely.insertInto("alertDeliveries").values(delivery).compile()),
    /** Writes how an attempt ended; does nothing when the delivery was deleted. */
    attempt(
      id: string,
      change: Pick<AlertDelivery, "state" | "attempts" | "nextTime" | "endTime" | "error">,
    ): Write {
      const query = kysely
        .updateTable("alertDeliveries")
        .set({
          state: change.state,
          attempts: change.attempts,
          nextTime: change.nextTime,
          endTime: change.endTime,
          error: change.error,
        })
        .where("id", "=", id);
      return createWrite("alertDeliveries", query.compile());
    },
  };
}

function createQueue({ kysely }: Database) {
  return {
    /** Returns queued ones that are due at `now`, the longest due first. @param except ids of those that are being sent. */
    async due(now: number, except: readonly string[], limit: number): Promise<readonly AlertDelivery[]> {
      return kysely
        .selectFrom("alertDeliveries")
        .selectAll()
        .where("state", "=", "queued")
        .where("nextTime", "<=", now)
        .$if(except.length > 0, (deliveries) => deliveries.where("id", "not in", except))
        .orderBy("nextTime")
        .limit(limit)
        .execute();
    },
    /** Returns when the next queued one is due; null when there is none. @param except ids of those that are being sent. */
    async nextTime(except: readonly string[]): Promise<number | null> {
      const row = await kysely
        .selectFrom("alertDeliveries")
        .select("nextTime")
        .where("state", "=", "queued")
        .$if(except.length > 0, (deliveries) => deliveries.where("id", "not in", except))
        .orderBy("nextTime")
        .limit(1)
        .executeTakeFirst();
      return row?.nextTime ?? null;
    },
  };
}

function createLists({ kysely }: Database) {
  return {
    /** Returns how many a channel has queued. */
    async countQueued(channelId: string): Promise<number> {
      const { count } = await kysely
        .selectFrom("alertDeliveries")
        .select((delivery) => delivery.fn.countAll<number>().as("count"))
        .where("channelId", "=", channelId)
        .where("state", "=", "queued")
        .executeTakeFirstOrThrow();
      return count;
    },
    /** Returns the newest of some channels, the newest first. */
    async newest({ channelIds, limit }: DeliveryQuery): Promise<readonly AlertDelivery[]> {
      if (channelIds.length === 0) return [];
      return kysely
        .selectFrom("alertDeliveries")
        .selectAll()
        .where("channelId", "in", channelIds)
        .orderBy("createTime", "desc")
        .orderBy("id", "desc")
        .limit(limit)
        .execute();
    },
    /** Deletes up to `limit` that ended before `time`. @returns how many were deleted. */
    async deleteEnded(time: number, limit: number): Promise<number> {
      const { numDeletedRows } = await kysely
        .deleteFrom("alertDeliveries")
        .where("id", "in", (deliveries) =>
          deliveries.selectFrom("alertDeliveries").select("id").where("endTime", "<", time).limit(limit),
        )
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}
