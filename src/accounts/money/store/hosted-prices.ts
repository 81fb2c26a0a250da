import type { HostedPriceStore } from "../hosted-price.js";
import type { Database } from "../../../store/database.js";
import { writeOf } from "../../../store/writes.js";

/** The table of what hosted services charge. */
export function createHostedPriceStore({ kysely }: Database): HostedPriceStore {
  return {
    insertion({ alias, promptTicks, cachedTicks, completionTicks, createTime }) {
      const row = {
        alias,
        prompt_ticks: promptTicks,
        cached_ticks: cachedTicks,
        completion_ticks: completionTicks,
        create_time: createTime,
      };
      return writeOf("hosted_prices", kysely.insertInto("hosted_prices").values(row).compile());
    },
    removal: (alias) =>
      writeOf("hosted_prices", kysely.deleteFrom("hosted_prices").where("alias", "=", alias).compile()),
    async list() {
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
    async count() {
      const { count } = await kysely
        .selectFrom("hosted_prices")
        .select((price) => price.fn.countAll<number>().as("count"))
        .executeTakeFirstOrThrow();
      return count;
    },
  };
}
