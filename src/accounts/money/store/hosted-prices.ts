import type { HostedPrice } from "../hosted-price.js";
import type { Database } from "../../../store/database.js";
import { createWrite, type Write } from "../../../store/writes.js";

export type HostedPriceStore = ReturnType<typeof createHostedPriceStore>;

/** Creates the queries of the table of hosted prices. */
export function createHostedPriceStore({ kysely }: Database) {
  return {
    /** Adds a version. */
    insertion({ alias, promptTicks, cachedTicks, completionTicks, createTime }: HostedPrice): Write {
      const row = {
        alias,
        prompt_ticks: promptTicks,
        cached_ticks: cachedTicks,
        completion_ticks: completionTicks,
        create_time: createTime,
      };
      return createWrite("hosted_prices", kysely.insertInto("hosted_prices").values(row).compile());
    },
    /** Deletes all versions of an alias. */
    removal(alias: string): Write {
      const query = kysely.deleteFrom("hosted_prices").where("alias", "=", alias);
      return createWrite("hosted_prices", query.compile());
    },
    /** Returns all versions in order of alias, the oldest first. */
    async list(): Promise<readonly HostedPrice[]> {
      const rows = await kysely
        .selectFrom("hosted_prices")
        .selectAll()
        .orderBy("alias")
        .orderBy("id")
        .execute();
      return rows.map((row) => ({
        alias: row.alias,
        promptTicks: row.prompt_ticks,
        cachedTicks: row.cached_ticks,
        completionTicks: row.completion_ticks,
        createTime: row.create_time,
      }));
    },
    /** Returns the number of versions. */
    async count(): Promise<number> {
      const { count } = await kysely
        .selectFrom("hosted_prices")
        .select((price) => price.fn.countAll<number>().as("count"))
        .executeTakeFirstOrThrow();
      return count;
    },
  };
}
