/** Checks for `hearth ledger verify` that what is stored as spent of budgets equals what the runs themselves add up to. */
import { sql, type RawBuilder } from "kysely";
import type { Dialect } from "../../../store/dialect/dialect.js";
import { endedRuns } from "../../money/store/ended-runs.js";
import { listOf } from "../../money/store/list-of.js";

/** The first millisecond of the period in which a time lies. */
const startOf = ({ monthStart }: Dialect, time: RawBuilder<unknown>) => sql`case budget.period
    when 'day' then ${time} - ${time} % 86400000
    when 'week' then ${time} - (${time} + 259200000) % 604800000
    when 'month' then ${monthStart(time)}
    else 0 end`;

/** The same of the labels that have a budget. */
const usedOfLabels = ({ listOf }: Dialect) => sql`(
  select hours.team_id, kind || ':' || label as label_id, hour as time, cost_ticks as ticks,
    prompt_tokens + completion_tokens + reasoning_tokens as tokens, 0 as held_ticks, 0 as held_tokens
  from usage_label_hours as hours
  union all
  select runs.team_id, labelled.subject_id, start_time, 0, 0, coalesce(bound_ticks, 0), coalesce(bound_tokens, 0)
  from runs join run_labels on run_id = runs.id
    join (select distinct subject_id, team_id from budgets where subject in ('tag', 'user')) as labelled
      on labelled.team_id = runs.team_id and labelled.subject_id in ${listOf(sql`run_labels.subjects`)}
  where state = 'running')`;

/** What each run, or the deleted runs of an hour, have used and reserved. Periods start with an hour. */
const used = sql`(
  select team_id, api_key_id, user_id, hour as time, cost_ticks as ticks,
    prompt_tokens + completion_tokens + reasoning_tokens as tokens, 0 as held_ticks, 0 as held_tokens
  from ${endedRuns}
  union all
  select team_id, api_key_id, user_id, start_time, 0, 0, coalesce(bound_ticks, 0), coalesce(bound_tokens, 0)
  from runs where state = 'running')`;

const sums = [sql`spent_ticks`, sql`spent_tokens`, sql`reserved_ticks`, sql`reserved_tokens`];

/** The sums of runs of a budget from the period of its creation on: what came before was not counted. */
export const budgetChecksOf = (dialect: Dialect): readonly RawBuilder<{ readonly problem: string }>[] => [
  sql`select 'the ' || budget.period || ' budget of the ' || budget.subject || ' ' || budget.subject_id || ' in team '
      || budget.team_id || ' is stored with ' || coalesce(kept.sums, '[0,0,0,0]') || ' in the period of '
      || ${dialect.timeText(sql`coalesce(kept.start_time, added.start_time)`)}
      || ', but its runs add up to ' || coalesce(added.sums, '[0,0,0,0]') as problem
    from (
      select subject_id, team_id, period, start_time,
        ${listOf(...sums)} as sums from budget_periods
    ) as kept full join (
      select subject_id, budget.team_id, period, ${startOf(dialect, sql`run.time`)} as start_time,
        ${listOf(sql`sum(ticks)`, sql`sum(tokens)`, sql`sum(held_ticks)`, sql`sum(held_tokens)`)} as sums
      from budgets as budget join ${used} as run on run.team_id = budget.team_id
        and run.time >= ${startOf(dialect, sql`budget.create_time`)}
        and budget.subject in ('key', 'member', 'team')
        and subject_id = case subject when 'key' then api_key_id when 'member' then user_id else run.team_id end
      group by 1, 2, 3, 4
      union all
      select subject_id, budget.team_id, period, ${startOf(dialect, sql`run.time`)},
        ${listOf(sql`sum(ticks)`, sql`sum(tokens)`, sql`sum(held_ticks)`, sql`sum(held_tokens)`)}
      from budgets as budget join ${usedOfLabels(dialect)} as run on run.team_id = budget.team_id and run.label_id = budget.subject_id
        and run.time >= ${startOf(dialect, sql`budget.create_time`)}
      group by 1, 2, 3, 4
    ) as added using (subject_id, team_id, period, start_time)
    join budgets as budget using (subject_id, team_id, period)
    where coalesce(kept.sums, '[0,0,0,0]') <> coalesce(added.sums, '[0,0,0,0]')`,
];
