import type { Prices, Ticks } from "../../../core/money.js";
import type { Database } from "../../../store/database.js";
import type { Row } from "../../../store/tables.js";

/** Ids cached in memory. There is one for each model, and more when prices change. */
const idsCachedMax = 1000;

/** Creates the queries of the table of the prices at which models are charged. */
export function createPriceIds({ kysely }: Database) {
  const cache = new Map<string, number>();
  return {
    /** Returns the id of a model's prices; inserts them when they are new. The same prices always have the same id. */
    async ensureId(model: string, prices: Prices, now: number): Promise<number> {
      const columns = toColumns(model, prices);
      const name = Object.values(columns).join(" ");
      const cached = cache.get(name);
      if (cached !== undefined) return cached;
      await kysely
        .insertInto("priceBook")
        .values({ ...columns, createTime: now })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      let row = kysely.selectFrom("priceBook").select("id");
      for (const [column, value] of Object.entries(columns))
        row = row.where(column as keyof typeof columns, "=", value);
      const { id } = await row.executeTakeFirstOrThrow();
      if (cache.size >= idsCachedMax) cache.clear();
      cache.set(name, id);
      return id;
    },
  };
}

export const priceColumns = [
  "promptTextTokenTicks",
  "cachedPromptTextTokenTicks",
  "completionTextTokenTicks",
] as const;

/** The price columns of a row that is joined with its prices. */
export type JoinedPrices = { readonly [Column in (typeof priceColumns)[number]]: number | null };

/** Returns the prices of a run; null when it has none. @param imageTicks from the run's own row. */
export function readJoinedPrices(row: JoinedPrices, imageTicks: Ticks): Prices | null {
  const { promptTextTokenTicks, cachedPromptTextTokenTicks, completionTextTokenTicks } = row;
  if (
    promptTextTokenTicks === null ||
    cachedPromptTextTokenTicks === null ||
    completionTextTokenTicks === null
  )
    return null;
  const ofText = { promptTextTokenTicks, cachedPromptTextTokenTicks, completionTextTokenTicks };
  return imageTicks === 0 ? ofText : { ...ofText, imageTicks };
}

function toColumns(model: string, prices: Prices): Omit<Row<"priceBook">, "id" | "createTime"> {
  return {
    model,
    promptTextTokenTicks: prices.promptTextTokenTicks,
    cachedPromptTextTokenTicks: prices.cachedPromptTextTokenTicks,
    completionTextTokenTicks: prices.completionTextTokenTicks,
  };
}
