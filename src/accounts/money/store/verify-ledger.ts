/**
 * Recomputes the ledger and the sums of runs from the entries and the runs alone, and reports every difference. It relies on no
 * stored balance, no stored cost and no constraint.
 */
import { sql, type RawBuilder } from "kysely";
import type { OnProgress } from "../../../core/report/progress.js";
import type { Database } from "../../../store/database.js";
import type { Dialect } from "../../../store/dialect/dialect.js";
import { createBudgetChecks } from "./verify-budgets.js";
import { selectDifferences } from "./compared.js";
import { joinNumbers } from "./join-numbers.js";
import { createUsageChecks } from "./verify-usage.js";

/** Problems reported by each check; an error often affects many rows. */
const problemsMax = 20;

/**
 * Returns a sentence for each problem, at most `problemsMax` for each check. Each check is one statement, which reads one snapshot while a
 * server writes. There is no transaction over all of them: SQLite cannot shorten its write-ahead log before one ends.
 */
export async function verifyLedger(
  { reports, dialect }: Database,
  onProgress: OnProgress = () => undefined,
): Promise<readonly string[]> {
  const checks = createChecks(dialect);
  const problems: string[] = [];
  const report = (done: number): void =>
    onProgress({ phase: "recomputing the ledger", done, total: checks.length, unit: "checks" });
  for (const [index, check] of checks.entries()) {
    report(index);
    const { rows } = await sql<Problem>`${check} limit ${sql.lit(problemsMax)}`.execute(reports);
    problems.push(...rows.map(({ problem }) => problem));
  }
  report(checks.length);
  return problems;
}

interface Problem {
  readonly problem: string;
}

/** Whether an account may occur in a kind of transaction. */
const accountsOfKind = sql`case kind
  when 'reserve' then account in ('credit', 'reserved')
  when 'release' then account in ('credit', 'reserved')
  when 'settle' then account in ('credit', 'reserved', 'owed', 'revenue')
  when 'adjust' then account in ('credit', 'adjustments')
  else account in ('credit', 'purchases') end`;

/** The charge of a run at its own prices: 0 when it was interrupted, never more than was reserved. */
function selectCharge({ smaller }: Dialect): RawBuilder<unknown> {
  const cost = sql`(run.prompt_tokens - run.cached_tokens) * price.prompt_text_token_ticks
    + run.cached_tokens * price.cached_prompt_text_token_ticks
    + (run.completion_tokens + run.reasoning_tokens) * price.completion_text_token_ticks
    + run.images * run.image_ticks`;
  const bound = sql`coalesce(run.reserved_ticks, 9223372036854775807)`;
  return sql`case when run.state = 'interrupted' then 0 else ${smaller(cost, bound)} end`;
}

/** All that was reserved for a run: a run of several turns reserves more than once. */
const held = sql`coalesce((select sum(amount_ticks) from ledger_transactions as made
  join ledger_entries on transaction_id = made.id and account = 'reserved'
  where made.run_id = run.id and made.kind = 'reserve'), 0)`;

const amountIn = (id: RawBuilder<unknown>, account: string) =>
  sql`coalesce((select amount_ticks from ledger_entries where transaction_id = ${id} and account = ${sql.lit(account)}), 0)`;

/** Whether the run of a transaction was settled, so that it may have been deleted. */
const hasEnded = sql`exists (select 1 from ledger_transactions as ended
  where ended.run_id = made.run_id and ended.kind in ('settle', 'release'))`;

const none = joinNumbers(sql`0`, sql`0`, sql`0`);

const pricedTicks = sql`sum(case when price_id = 0 then 0 else cost_ticks end)`;

const countKind = (kind: "settle" | "release") =>
  sql`sum(case when kind = ${sql.lit(kind)} then 1 else 0 end)`;

const transactionChecks: readonly RawBuilder<Problem>[] = [
  sql`select 'transaction ' || made.id || ' has ' || count(entry.account) || ' entries, which sum to '
      || coalesce(sum(entry.amount_ticks), 0) as problem
    from ledger_transactions as made left join ledger_entries as entry on entry.transaction_id = made.id
    group by made.id having count(entry.account) < 2 or sum(entry.amount_ticks) <> 0`,
  sql`select 'transaction ' || made.id || ', a ' || kind || ', has an entry of the account ' || account as problem
    from ledger_transactions as made join ledger_entries on transaction_id = made.id where not ${accountsOfKind}`,
  sql`select 'an entry belongs to no transaction: ' || transaction_id as problem from ledger_entries
    where transaction_id not in (select id from ledger_transactions)`,
  sql`select 'the account ' || account || ' of team ' || team_id || ' has the balance ' || kept_ticks
      || ' but its entries sum to ' || added_ticks as problem
    from ${selectDifferences({
      keys: ["teamId", "account"],
      values: ["ticks"],
      kept: sql`select team_id, account, balance_ticks as ticks from ledger_balances`,
      added: sql`select team_id, account, sum(amount_ticks) as ticks
        from ledger_transactions join ledger_entries on transaction_id = id group by team_id, account`,
      absent: sql`0`,
    })}`,
  sql`select 'the account ' || account || ' of team ' || team_id || ' is overdrawn: ' || balance_ticks as problem
    from ledger_balances where account in ('credit', 'reserved') and balance_ticks < 0`,
];

const runChecks: readonly RawBuilder<Problem>[] = [
  sql`select 'run ' || run.id || ' cost ' || run.cost_ticks || ', but was charged '
      || ${amountIn(sql`ended.id`, "revenue")} as problem
    from runs as run left join ledger_transactions as ended
      on ended.run_id = run.id and ended.kind in ('settle', 'release')
    where run.price_id is not null and run.state <> 'running'
      and run.cost_ticks <> ${amountIn(sql`ended.id`, "revenue")}`,
  sql`select 'run ' || run.id || ' has ' || coalesce(run.reserved_ticks, 0) || ' reserved, but its entries say '
      || ${held} as problem
    from runs as run where coalesce(run.reserved_ticks, 0) <> ${held}`,
  sql`select 'run ' || run.id || ' has ended, but ' || run.reserved_ticks || ' are still reserved for it' as problem
    from runs as run left join ledger_transactions as ended
      on ended.run_id = run.id and ended.kind in ('settle', 'release')
    where run.state <> 'running' and run.reserved_ticks > 0
      and ${amountIn(sql`ended.id`, "reserved")} <> -run.reserved_ticks`,
  sql`select 'run ' || run_id || ' has more than one ' || min(kind) as problem
    from ledger_transactions where run_id is not null and kind <> 'reserve'
    group by run_id having count(*) > 1`,
  sql`select 'transaction ' || made.id || ', a ' || kind || ', is of the run ' || run_id || ', which '
      || case when run.id is null then 'does not exist' else 'has not ended' end as problem
    from ledger_transactions as made left join runs as run on run.id = made.run_id
    where made.run_id is not null
      and case when run.id is null then not ${hasEnded} else run.state = 'running' and kind <> 'reserve' end`,
  sql`select 'team ' || team_id || ' has transactions of runs that do not exist: ' || added_sums
      || ' charges, releases and ticks, but of deleted runs it has ' || kept_sums as problem
    from ${selectDifferences({
      keys: ["teamId"],
      values: ["sums"],
      kept: sql`select team_id, ${joinNumbers(sql`sum(charged_runs)`, sql`sum(released_runs)`, pricedTicks)} as sums
        from deleted_runs group by team_id`,
      added: sql`select made.team_id,
          ${joinNumbers(countKind("settle"), countKind("release"), sql`sum(${amountIn(sql`made.id`, "revenue")})`)} as sums
        from ledger_transactions as made left join runs as run on run.id = made.run_id
        where kind in ('settle', 'release') and run.id is null group by made.team_id`,
      absent: none,
    })}`,
  sql`select 'team ' || team_id || ' has ' || kept_ticks || ' reserved, but its running runs hold ' || added_ticks as problem
    from ${selectDifferences({
      keys: ["teamId"],
      values: ["ticks"],
      kept: sql`select team_id, balance_ticks as ticks from ledger_balances where account = 'reserved'`,
      added: sql`select team_id, sum(reserved_ticks) as ticks from runs
        where state = 'running' and reserved_ticks is not null group by team_id`,
      absent: sql`0`,
    })}`,
];

function createChecks(dialect: Dialect): readonly RawBuilder<Problem>[] {
  return [
    ...transactionChecks,
    priceCheck(dialect),
    ...runChecks,
    ...createUsageChecks(dialect),
    ...createBudgetChecks(dialect),
  ];
}

function priceCheck(dialect: Dialect): RawBuilder<Problem> {
  const charge = selectCharge(dialect);
  return sql`select 'run ' || run.id || ' cost ' || run.cost_ticks || ', but at its prices ' || ${charge} as problem
    from runs as run join price_book as price on price.id = run.price_id
    where run.state <> 'running' and run.cost_ticks <> ${charge}`;
}
