/** What is spent and reserved of a budget when it is set. */
import { sql, type RawBuilder } from "kysely";
import type { Dialect } from "../../../store/dialect/dialect.js";
import { labelSubject } from "../../principals/spend-labels.js";
import { selectKeysOfOwner } from "../../../store/tables/known-keys.js";
import { periodStart, type Budget, type BudgetHolder } from "../budget.js";
import { selectPeriodStart } from "../../money/store/period-start.js";

/** Returns the id under which a subject is stored. */
export function storedId({ subject, subjectId }: BudgetHolder): string {
  return subject === "tag" || subject === "user" ? labelSubject(subject, subjectId) : subjectId;
}

/**
 * Inserts the sums of the current period of a budget, and of those after it: the clock of another server may be ahead. It inserts earlier
 * ones in which runs are running, too, whose reservations are subtracted when they end.
 */
export function firstPeriod(dialect: Dialect, budget: Budget): RawBuilder<unknown> {
  const { teamId, period, createTime } = budget;
  const start = periodStart(period, createTime);
  const selectStart = (time: string) => selectPeriodStart(dialect, period, sql.ref(time));
  return sql`
    insert into budget_periods (subject_id, team_id, period, start_time, spent_ticks, spent_tokens, reserved_ticks, reserved_tokens)
    select ${storedId(budget)}, ${teamId}, ${period}, start_time, sum(ticks), sum(tokens), sum(held_ticks), sum(held_tokens) from (
      select cast(${start} as bigint) as start_time, 0 as ticks, 0 as tokens, 0 as held_ticks, 0 as held_tokens
      union all
      select ${selectStart("used.time")}, ticks, tokens, 0, 0 from (${selectSpent(dialect, budget, start)}) as used
      union all
      select ${selectStart("runs.startTime")}, 0, 0, coalesce(bound_ticks, 0), coalesce(bound_tokens, 0)
      from ${dialect.readBy(sql`runs`, "runs_running")}
      where state = 'running' and ${matchRuns(dialect, budget)} and team_id = ${teamId}
    ) as counted group by start_time`;
}

const tokens = sql`prompt_tokens + completion_tokens + reasoning_tokens`;

/**
 * Returns a query of the columns `time`, `ticks` and `tokens`: what the runs that have ended have used since `start`, from the sums that
 * triggers keep with every run.
 */
function selectSpent(dialect: Dialect, budget: Budget, start: number): RawBuilder<unknown> {
  const { teamId, subject, subjectId, period } = budget;
  if (subject === "tag" || subject === "user")
    return sql`select hour as time, cost_ticks as ticks, ${tokens} as tokens from
      ${dialect.readBy(sql`usage_label_hours`, "usage_label_hours_by_label")}
      where team_id = ${teamId} and kind = ${subject} and hour >= ${start} and label = ${subjectId}`;
  if (subject === "team" && period === "total")
    return sql`select 0 as time, cost_ticks as ticks, evaluated_tokens + cached_tokens + completion_tokens + reasoning_tokens as tokens
      from usage_months where team_id = ${teamId}`;
  const days = sql`select day as time, cost_ticks as ticks, ${tokens} as tokens from usage_days where day >= ${start}`;
  if (subject === "team") return sql`${days} and team_id = ${teamId}`;
  // SQLite finds the days by the index of keys, not by the index of teams.
  const ofTeam = sql`${dialect.unindexed(sql`team_id`)} = ${teamId}`;
  if (subject === "key") return sql`${days} and api_key_id = ${subjectId} and ${ofTeam}`;
  const keys = selectKeysOfOwner(sql`(${teamId})`, subjectId);
  return sql`${days} and api_key_id in ${keys} and ${ofTeam}
    union all
    select start_time, -cost_ticks, -(${tokens}) from ${dialect.readBy(sql`runs`, "runs_without_user")}
    where user_id is null and api_key_id in ${keys} and ${ofTeam} and start_time >= ${start} and state not in ('running', 'interrupted')
    union all
    select hour, -cost_ticks, -(${tokens}) from ${dialect.readBy(sql`deleted_runs`, "deleted_runs_without_user")}
    where user_id = '' and api_key_id in ${keys} and ${ofTeam} and hour >= ${start} and runs > 0`;
}

function matchRuns(dialect: Dialect, budget: Budget): RawBuilder<unknown> {
  const { subject } = budget;
  if (subject === "tag" || subject === "user")
    return sql`exists (select 1 from run_labels
      where run_id = runs.id and ${storedId(budget)} in ${dialect.selectStrings(sql`run_labels.subjects`)})`;
  const columns = { key: "apiKeyId", member: "userId", team: "teamId" } as const;
  return sql`${sql.ref(columns[subject])} = ${budget.subjectId}`;
}
