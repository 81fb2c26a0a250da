import type { HostedPrice } from "../hosted-price.js";
import type { Database } from "../../../store/database.js";
import { createWrite, type Write } from "../../../store/writes.js";

export type HostedPriceStore = ReturnType<typeof createHostedPriceStore>;

/** Creates the queries of the table of hosted prices. */
export function createHostedPriceStore({ kysely }: Database) {
  return {
    /** Adds a version. */
    insertion: (price: HostedPrice): Write =>
      createWrite("hostedPrices", kysely.insertInto("hostedPrices").values(price).compile()),
    /** Deletes all versions of an alias. */
    removal(alias: string): Write {
      const query = kysely.deleteFrom("hostedPrices").where("alias", "=", alias);
      return createWrite("hostedPrices", query.compile());
    },
    /** Returns all versions in order of alias, the oldest first. */
    async list(): Promise<readonly HostedPrice[]> {
      const rows = await kysely
        .selectFrom("hostedPrices")
        .selectAll()
        .orderBy("alias")
        .orderBy("id")
        .execute();
      return rows.map(({ id: _, ...price }) => price);
    },
    /** Returns the number of versions. */
    async count(): Promise<number> {
      const { count } = await kysely
        .selectFrom("hostedPrices")
        .select((price) => price.fn.countAll<number>().as("count"))
        .executeTakeFirstOrThrow();
      return count;
    },
  };
}
