import { sql } from "kysely";
import type { BalanceChange } from "../balance-change.js";
import type { ModelMonth } from "../invoice-lines.js";
import { monthStart, type Month } from "../spending.js";
import { selectKeysOfOwner } from "../../../store/tables/known-keys.js";
import type { Database } from "../../../store/database.js";
import { readJoinedPrices, type JoinedPrices } from "./price-ids.js";

/** A team's credit and what changed it, all read at the same moment. */
interface StoredBalance {
  /** Newest first. */
  readonly changes: readonly BalanceChange[];
  /** The sum of all purchases, refunds and corrections. */
  readonly paidTicks: bigint;
  /** The remaining credit, including what is reserved. */
  readonly remainingTicks: bigint;
}

interface ChangeRow {
  readonly name: string;
  readonly time: number;
  readonly ticks: string;
}

interface MonthRow extends JoinedPrices, Omit<ModelMonth, "prices" | "costTicks" | "creditTicks"> {
  readonly imageTicks: number;
  readonly cost: string;
  readonly credit: string;
}

const origins: readonly string[] = [
  "purchase",
  "refund",
  "adjust",
  "spend",
] satisfies readonly BalanceChange["origin"][];

export type BillingStore = ReturnType<typeof createBillingStore>;

/** Creates the queries of invoices and of changes of credit. */
export function createBillingStore({ reports }: Database) {
  return {
    /**
     * Returns a team's credit, its newest purchases, refunds and corrections, and its spending of each day (UTC).
     * @param from days that start earlier are left out; milliseconds since the epoch. @param moneyMax changes that are not spending.
     */
    async balance(teamId: string, from: number, moneyMax: number): Promise<StoredBalance> {
      // One statement, so that all rows are of the same moment.
      const { rows } = await sql<ChangeRow>`
        select account as name, 0 as time, cast(balance_ticks as text) as ticks
        from ledger_balances where team_id = ${teamId}
        union all select * from (
          select kind, create_time, cast(amount_ticks as text) from ledger_transactions
            join ledger_entries on transaction_id = id and account = 'credit'
          where team_id = ${teamId} and run_id is null
          order by create_time desc, id desc limit ${moneyMax}) as money
        union all select * from (
          select 'spend', day, cast(-sum(credit_ticks) as text) from usage_days
          where team_id = ${teamId} and day >= ${from} group by 2 having sum(credit_ticks) > 0
          order by 2 desc) as days`.execute(reports);
      const balances = new Map(rows.map(({ name, ticks }) => [name, BigInt(ticks)]));
      const of = (account: string): bigint => balances.get(account) ?? 0n;
      return {
        changes: rows
          .filter(isChange)
          .map(({ name, time, ticks }) => ({ origin: name, ticks: BigInt(ticks), time }))
          .sort((a, b) => b.time - a.time),
        paidTicks: -(of("purchases") + of("adjustments")),
        remainingTicks: of("credit") + of("reserved"),
      };
    },
    /**
     * Returns what the keys of a member have used in a team in a month, by model, exactly as it was charged. Hours do not have prices: those
     * are the newest of each model.
     */
    monthOfOwner: (teamId: string, month: Month, ownerId: string) =>
      monthOfOwner(reports, teamId, month, ownerId),
    /** Returns a team's usage of a month, by model and prices. */
    async month(teamId: string, month: Month): Promise<readonly ModelMonth[]> {
      const { rows } = await sql<MonthRow>`
        select used.model, image_ticks, evaluated_tokens, cached_tokens, completion_tokens, reasoning_tokens, images,
          cast(cost_ticks as text) as cost, cast(credit_ticks as text) as credit, prompt_text_token_ticks,
          cached_prompt_text_token_ticks, completion_text_token_ticks
        from usage_months as used left join price_book as price on price.id = price_id
        where team_id = ${teamId} and month = ${month}`.execute(reports);
      return rows.map(fromRow);
    },
  };
}

async function monthOfOwner(
  reports: Database["reports"],
  teamId: string,
  month: Month,
  ownerId: string,
): Promise<readonly ModelMonth[]> {
  const { rows } = await sql<MonthRow>`
    select used.*, 0 as image_ticks, prompt_text_token_ticks, cached_prompt_text_token_ticks, completion_text_token_ticks
    from (
      select model, sum(prompt_tokens - cached_tokens) as evaluated_tokens, sum(cached_tokens) as cached_tokens,
        sum(completion_tokens) as completion_tokens, sum(reasoning_tokens) as reasoning_tokens, sum(images) as images,
        cast(sum(cost_ticks) as text) as cost, cast(sum(credit_ticks) as text) as credit
      from usage_hours where team_id = ${teamId} and hour >= ${monthStart(month)} and hour < ${monthStart(month + 1)}
        and api_key_id in ${selectKeysOfOwner(sql`(${teamId})`, ownerId)}
      group by model) as used
    left join price_book as price on price.id = (select max(id) from price_book where model = used.model)
    order by used.model`.execute(reports);
  return rows.map(fromRow);
}

function isChange(row: ChangeRow): row is ChangeRow & { readonly name: BalanceChange["origin"] } {
  return origins.includes(row.name);
}

function fromRow(row: MonthRow): ModelMonth {
  return {
    model: row.model,
    prices: readJoinedPrices(row, row.imageTicks),
    evaluatedTokens: row.evaluatedTokens,
    cachedTokens: row.cachedTokens,
    completionTokens: row.completionTokens,
    reasoningTokens: row.reasoningTokens,
    images: row.images,
    costTicks: BigInt(row.cost),
    creditTicks: BigInt(row.credit),
  };
}
