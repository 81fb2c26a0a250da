/** Checks for `hearth ledger verify` that what is stored as spent of budgets equals what the runs themselves add up to. */
import { sql, type RawBuilder } from "kysely";
import type { Dialect } from "../../../store/dialect/dialect.js";
import { selectDifferences } from "./compared.js";
import { endedRuns } from "./ended-runs.js";
import { joinNumbers } from "./join-numbers.js";
import { selectBudgetPeriodStart } from "./period-start.js";

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
export const createBudgetChecks = (dialect: Dialect): readonly RawBuilder<{ readonly problem: string }>[] => [
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
