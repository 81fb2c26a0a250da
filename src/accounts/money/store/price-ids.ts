import type { Prices, Ticks } from "../../../core/money.js";
import type { Database } from "../../../store/database.js";
import type { PriceRow } from "../../../store/money-schema.js";

/** Ids cached in memory. There is one for each model, and more when prices change. */
const idsCachedMax = 1000;

/** Creates the queries of the table of the prices at which models are charged. */
export function createPriceIds({ kysely }: Database) {
  const cache = new Map<string, number>();
  return {
    /** Returns the id of a model's prices; inserts them when they are new. The same prices always have the same id. */
    async idOf(model: string, prices: Prices, now: number): Promise<number> {
      const columns = toColumns(model, prices);
      const name = Object.values(columns).join(" ");
      const cached = cache.get(name);
      if (cached !== undefined) return cached;
      await kysely
        .insertInto("price_book")
        .values({ ...columns, create_time: now })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      let row = kysely.selectFrom("price_book").select("id");
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
  "prompt_text_token_ticks",
  "cached_prompt_text_token_ticks",
  "completion_text_token_ticks",
] as const;

/** The price columns of a row that is joined with its prices. */
export type JoinedPrices = { readonly [Column in (typeof priceColumns)[number]]: number | null };

/** Returns the prices of a run; null when it has none. @param imageTicks from the run's own row. */
export function pricesOf(row: JoinedPrices, imageTicks: Ticks): Prices | null {
  const {
    prompt_text_token_ticks: promptTextTokenTicks,
    cached_prompt_text_token_ticks: cachedPromptTextTokenTicks,
    completion_text_token_ticks: completionTextTokenTicks,
  } = row;
  if (
    promptTextTokenTicks === null ||
    cachedPromptTextTokenTicks === null ||
    completionTextTokenTicks === null
  )
    return null;
  const ofText = { promptTextTokenTicks, cachedPromptTextTokenTicks, completionTextTokenTicks };
  return imageTicks === 0 ? ofText : { ...ofText, imageTicks };
}

function toColumns(model: string, prices: Prices): Omit<PriceRow, "id" | "create_time"> {
  return {
    model,
    prompt_text_token_ticks: prices.promptTextTokenTicks,
    cached_prompt_text_token_ticks: prices.cachedPromptTextTokenTicks,
    completion_text_token_ticks: prices.completionTextTokenTicks,
  };
}
