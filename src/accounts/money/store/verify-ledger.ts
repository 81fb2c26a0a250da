/**
 * Recomputes the ledger and the sums of runs from the entries and the runs alone, and reports every difference. It relies on no
 * stored balance, no stored cost and no constraint.
 */
import { sql, type RawBuilder } from "kysely";
import type { OnProgress } from "../../../core/report/progress.js";
import type { Database } from "../../../store/database.js";
import type { Dialect } from "../../../store/dialect/dialect.js";
import { selectDifferences } from "./compared.js";
import { selectBudgetPeriodStart } from "./period-start.js";
import { dayMs, hourMs } from "../usage-report.js";

/**
 * A table of what ended runs have used and cost, for queries that add it up: a row for each run in the table of runs, and one for all
 * deleted runs of an hour that have the same team, model, key, user and price. `hour` is the start of the hour in which they started.
 */
const endedRuns: RawBuilder<unknown> = sql`(
  select team_id, start_time - start_time % 3600000 as hour, model, coalesce(asked_model, model) as asked_model, api_key_id,
    coalesce(user_id, '') as user_id, coalesce(price_id, 0) as price_id, image_ticks, 1 as runs, prompt_tokens, cached_tokens,
    image_tokens, completion_tokens, reasoning_tokens, images, cost_ticks,
    case when reserved_ticks is null then 0 else cost_ticks end as credit_ticks
  from runs where state not in ('running', 'interrupted')
  union all
  select team_id, hour, model, asked_model, api_key_id, user_id, price_id, image_ticks, runs, prompt_tokens, cached_tokens,
    image_tokens, completion_tokens, reasoning_tokens, images, cost_ticks, credit_ticks
  from deleted_runs where runs > 0) as ended_run`;

/** Returns numbers as one text, such as [0,0,0], by which rows of sums are compared and shown. */
function joinNumbers(...numbers: readonly RawBuilder<unknown>[]): RawBuilder<string> {
  return sql`('[' || ${sql.join(numbers, sql` || ',' || `)} || ']')`;
}

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

// Checks for `hearth ledger verify` that what is stored as spent of budgets equals what the runs themselves add up to.

/** What each run, or the deleted runs of an hour, have used and reserved. Periods start with an hour. */
const used = sql`(
  select team_id, api_key_id, user_id, hour as time, cost_ticks as ticks,
    prompt_tokens + completion_tokens + reasoning_tokens as tokens, 0 as held_ticks, 0 as held_tokens
  from ${endedRuns}
  union all
  select team_id, api_key_id, user_id, start_time, 0, 0, coalesce(bound_ticks, 0), coalesce(bound_tokens, 0)
  from runs where state = 'running') as used`;

const amounts = sql`ticks, tokens, held_ticks, held_tokens`;

/** Those with a budget, so that the others are neither grouped nor looked up. */
const budgeted = (...subjects: readonly string[]) =>
  sql`(select subject_id from budgets where subject in (${sql.join(subjects.map((subject) => sql.lit(subject)))}))`;

/** The same for each budget's subject, once for a run that several budgets are of. */
const usedBySubject = ({ selectStrings: listed }: Dialect) => sql`(
  select team_id, api_key_id as subject_id, time, ${amounts} from ${used} where api_key_id in ${budgeted("key")}
  union all
  select team_id, user_id, time, ${amounts} from ${used} where user_id in ${budgeted("member")}
  union all
  select team_id, team_id, time, ${amounts} from ${used} where team_id in ${budgeted("team")}
  union all
  select team_id, kind || ':' || label, hour, cost_ticks, prompt_tokens + completion_tokens + reasoning_tokens, 0, 0
  from usage_label_hours where kind || ':' || label in ${budgeted("tag", "user")}
  union all
  select runs.team_id, labelled.subject_id, start_time, 0, 0, coalesce(bound_ticks, 0), coalesce(bound_tokens, 0)
  from runs join run_labels on run_id = runs.id
    join (select distinct subject_id, team_id from budgets where subject in ('tag', 'user')) as labelled
      on labelled.team_id = runs.team_id and labelled.subject_id in ${listed(sql`run_labels.subjects`)}
  where state = 'running') as run`;

const names = ["spentTicks", "spentTokens", "reservedTicks", "reservedTokens"];

const storedColumn = (name: string) => sql.ref(`kept_${name}`);
const addedColumn = (name: string) => sql.ref(`added_${name}`);

/** Whether what is stored is not between nothing and everything. */
const isBeyond = sql.join(
  names.map((name) => sql`${storedColumn(name)} not between 0 and ${addedColumn(name)}`),
  sql` or `,
);

/**
 * From the period of its creation on, a budget has what all runs of a period add up to. A run can also begin in an earlier period, when
 * the clock of its server was set back or runs behind the clock of the server that created the budget. The budget then has a part of that
 * period only: it does not count what other runs had used before its creation.
 */
const createBudgetChecks = (dialect: Dialect): readonly RawBuilder<{ readonly problem: string }>[] => [
  sql`select 'the ' || period || ' budget of the ' || subject || ' ' || subject_id || ' in team ' || team_id
      || ' is stored with ' || ${joinNumbers(...names.map(storedColumn))} || ' in the period of ' || ${dialect.timeText(sql`start_time`)}
      || ', but its runs add up to ' || ${joinNumbers(...names.map(addedColumn))} as problem
    from ${selectDifferences({
      keys: ["subjectId", "teamId", "period", "startTime"],
      values: names,
      kept: sql`select subject_id, team_id, period, start_time, ${sql.join(names.map((name) => sql.ref(name)))}
        from budget_periods`,
      // A cross join, so that SQLite looks up the budgets of each run, not the runs of each budget.
      added: sql`select budget.subject_id, budget.team_id, budget.period, ${selectBudgetPeriodStart(dialect, sql`run.time`)} as start_time,
          sum(ticks) as spent_ticks, sum(tokens) as spent_tokens, sum(held_ticks) as reserved_ticks, sum(held_tokens) as reserved_tokens
        from ${usedBySubject(dialect)} cross join budgets as budget
        where budget.subject_id = run.subject_id and budget.team_id = run.team_id
        group by 1, 2, 3, 4`,
      absent: sql`0`,
    })} join budgets as budget using (subject_id, team_id, period)
    where start_time >= ${selectBudgetPeriodStart(dialect, sql`budget.create_time`)} or ${isBeyond}`,
];

// Checks that the sums maintained by triggers equal the sums of the runs themselves, deleted ones included.

/** The sums of a row of usage, in order. */
const unitColumns = [
  ...["runs", "promptTokens", "cachedTokens", "imageTokens", "completionTokens", "reasoningTokens"],
  ...["costTicks", "creditTicks", "images"],
].map((name) => sql.ref(name));

const sumColumn = (column: RawBuilder<unknown>) => sql`sum(${column})`;

const noUnits = joinNumbers(...unitColumns.map(() => sql`0`));

/** The sums of a row of a month's usage, in order. */
const monthColumns = [
  ...["evaluatedTokens", "cachedTokens", "completionTokens", "reasoningTokens", "images"],
  ...["costTicks", "creditTicks"],
].map((name) => sql.ref(name));

const addedOfMonth = [sql`prompt_tokens - cached_tokens`, ...monthColumns.slice(1)].map(sumColumn);

const noneOfMonth = joinNumbers(...monthColumns.map(() => sql`0`));

/** The columns of `selectDifferences` in a sentence: what is stored, and what its runs add up to. */
const storedAndAdded = (absent: RawBuilder<unknown>) =>
  sql`' is stored as ' || coalesce(kept_sums, ${absent}) || ' but its runs add up to ' || coalesce(added_sums, ${absent})`;

/** Checks the usage of hours, or of days (UTC). @param named which one it is, in the sentence */
function unitCheck(
  unit: "hour" | "day",
  unitMs: number,
  named: RawBuilder<unknown>,
): RawBuilder<{ readonly problem: string }> {
  const differences = selectDifferences({
    keys: ["teamId", "start", "model", "askedModel", "apiKeyId"],
    values: ["sums"],
    kept: sql`select team_id, ${sql.ref(unit)} as start, model, asked_model, api_key_id, ${joinNumbers(...unitColumns)} as sums
      from ${sql.table(`usage_${unit}s`)}`,
    added: sql`select team_id, hour - hour % ${sql.lit(unitMs)} as start, model, asked_model, api_key_id,
        ${joinNumbers(...unitColumns.map(sumColumn))} as sums
      from ${endedRuns} group by 1, 2, 3, 4, 5`,
    absent: null,
  });
  return sql`select 'the usage of team ' || team_id || ', model ' || model || ' requested as ' || asked_model || ', key '
      || api_key_id || ${named} || ${storedAndAdded(noUnits)} as problem
    from ${differences}`;
}

function monthCheck({ toMonth }: Dialect): RawBuilder<{ readonly problem: string }> {
  const differences = selectDifferences({
    keys: ["teamId", "month", "model", "priceId", "imageTicks"],
    values: ["sums"],
    kept: sql`select team_id, month, model, price_id, image_ticks, ${joinNumbers(...monthColumns)} as sums from usage_months`,
    added: sql`select team_id, ${toMonth(sql`hour`)} as month, model, price_id, image_ticks,
        ${joinNumbers(...addedOfMonth)} as sums
      from ${endedRuns} group by 1, 2, 3, 4, 5`,
    absent: null,
  });
  return sql`select 'the usage of team ' || team_id || ', model ' || model || ' in the month ' || month
      || ${storedAndAdded(noneOfMonth)} as problem
    from ${differences}`;
}

function teamMonthCheck({ toMonth }: Dialect): RawBuilder<{ readonly problem: string }> {
  const differences = selectDifferences({
    keys: ["teamId", "month"],
    values: ["charged", "held"],
    kept: sql`select team_id, month, charged_ticks as charged, reserved_ticks as held from team_months`,
    added: sql`select team_id, month, sum(charged) as charged, sum(held) as held from (
        select team_id, ${toMonth(sql`hour`)} as month, cost_ticks as charged, 0 as held from ${endedRuns}
        union all
        select team_id, ${toMonth(sql`start_time`)}, 0, coalesce(reserved_ticks, 0) from runs where state = 'running'
      ) as counted group by 1, 2`,
    absent: sql`0`,
  });
  return sql`select 'team ' || team_id || ' is stored with ' || kept_charged || ' spent and ' || kept_held
      || ' reserved in the month ' || month || ', but its runs of that month add up to ' || added_charged || ' and '
      || added_held as problem
    from ${differences}`;
}

/** Returns queries; each returns a sentence for each problem. */
const createUsageChecks = (dialect: Dialect): readonly RawBuilder<{ readonly problem: string }>[] => [
  unitCheck("hour", hourMs, sql`' in the hour of ' || ${dialect.timeText(sql`start`)}`),
  unitCheck("day", dayMs, sql`' on the day ' || substr(${dialect.timeText(sql`start`)}, 1, 10)`),
  monthCheck(dialect),
  teamMonthCheck(dialect),
];
