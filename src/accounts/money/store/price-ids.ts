import type { Prices, Ticks } from "../../../core/money.js";
import type { Database } from "../../../store/database.js";
import type { PriceRow } from "../../../store/schema.js";

export interface PriceBook {
  /** The version of these prices, written first where there is none; a model whose prices go back has its old version again. */
  versionOf(model: string, prices: Prices, now: number): Promise<number>;
}

/** Versions kept in memory; there are as many as models, but for prices that change. */
const versionsKeptMax = 1000;

/** The table of what models charge for text, version by version. */
export function createPriceBook({ kysely }: Database): PriceBook {
  const kept = new Map<string, number>();
  return {
    async versionOf(model, prices, now) {
      const columns = toColumns(model, prices);
      const name = Object.values(columns).join(" ");
      const known = kept.get(name);
      if (known !== undefined) return known;
      await kysely
        .insertInto("price_book")
        .values({ ...columns, create_time: now })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      let row = kysely.selectFrom("price_book").select("id");
      for (const [column, value] of Object.entries(columns))
        row = row.where(column as keyof typeof columns, "=", value);
      const { id } = await row.executeTakeFirstOrThrow();
      if (kept.size >= versionsKeptMax) kept.clear();
      kept.set(name, id);
      return id;
    },
  };
}

export const priceColumns = [
  "prompt_text_token_ticks",
  "cached_prompt_text_token_ticks",
  "completion_text_token_ticks",
] as const;

/** The prices beside a row that has any. */
export type PricesBeside = { readonly [Column in (typeof priceColumns)[number]]: number | null };

/** @param imageTicks is in the run's own row. @returns null where there are none. */
export function pricesOf(row: PricesBeside, imageTicks: Ticks): Prices | null {
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
