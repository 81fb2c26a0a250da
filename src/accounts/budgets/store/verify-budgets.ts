/** Checks for `hearth ledger verify` that what is stored as spent of budgets equals what the runs themselves add up to. */
import { sql, type RawBuilder } from "kysely";
import { endedRuns } from "../../money/store/ended-runs.js";

/** The first millisecond of the period in which a time lies. */
const startOf = (time: RawBuilder<unknown>) => sql`case budget.period
    when 'day' then ${time} - ${time} % 86400000
    when 'week' then ${time} - (${time} + 259200000) % 604800000
    when 'month' then 1000 * cast(strftime('%s', ${time} / 1000, 'unixepoch', 'start of month') as integer)
    else 0 end`;

/** What each run, or the deleted runs of an hour, have used and reserved. Periods start with an hour. */
const used = sql`(
  select team_id, api_key_id, user_id, hour as time, cost_ticks as ticks,
    prompt_tokens + completion_tokens + reasoning_tokens as tokens, 0 as held_ticks, 0 as held_tokens
  from ${endedRuns}
  union all
  select team_id, api_key_id, user_id, start_time, 0, 0, coalesce(bound_ticks, 0), coalesce(bound_tokens, 0)
  from runs where state = 'running')`;

/** The sums of runs of a budget from the period of its creation on: what came before was not counted. */
export const budgetChecks: readonly RawBuilder<{ readonly problem: string }>[] = [
  sql`select 'the ' || budget.period || ' budget of the ' || budget.subject || ' ' || budget.subject_id || ' in team '
      || budget.team_id || ' is stored with ' || coalesce(kept.sums, '[0,0,0,0]') || ' in the period of '
      || strftime('%Y-%m-%dT%H:%MZ', coalesce(kept.start_time, added.start_time) / 1000, 'unixepoch')
      || ', but its runs add up to ' || coalesce(added.sums, '[0,0,0,0]') as problem
    from (
      select subject_id, team_id, period, start_time,
        json_array(spent_ticks, spent_tokens, reserved_ticks, reserved_tokens) as sums from budget_periods
    ) as kept full join (
      select subject_id, budget.team_id, period, ${startOf(sql`run.time`)} as start_time,
        json_array(sum(ticks), sum(tokens), sum(held_ticks), sum(held_tokens)) as sums
      from budgets as budget join ${used} as run on run.team_id = budget.team_id
        and run.time >= ${startOf(sql`budget.create_time`)}
        and subject_id = case subject when 'key' then api_key_id when 'member' then user_id else run.team_id end
      group by 1, 2, 3, 4
    ) as added using (subject_id, team_id, period, start_time)
    join budgets as budget using (subject_id, team_id, period)
    where coalesce(kept.sums, '[0,0,0,0]') <> coalesce(added.sums, '[0,0,0,0]')`,
];
