/** What is spent and reserved of a budget when it is set: the runs of its current period. */
import { sql, type RawBuilder } from "kysely";
import type { Dialect } from "../../../store/dialect/dialect.js";
import { labelSubject } from "../../labels/spend-labels.js";
import { periodEnd, periodStart, type Budget } from "../budget.js";

/** Returns the id under which a subject is stored. */
export function storedId({ subject, subjectId }: Pick<Budget, "subject" | "subjectId">): string {
  return subject === "tag" || subject === "user" ? labelSubject(subject, subjectId) : subjectId;
}

/** Inserts the sums of the current period of a budget. */
export function firstPeriod(dialect: Dialect, budget: Budget): RawBuilder<unknown> {
  const { teamId, period, createTime } = budget;
  const [subjectId, start] = [storedId(budget), periodStart(period, createTime)];
  const span = { start, end: periodEnd(period, createTime) ?? Number.MAX_SAFE_INTEGER };
  return sql`
    insert into budget_periods (subject_id, team_id, period, start_time, spent_ticks, spent_tokens, reserved_ticks, reserved_tokens)
    select ${subjectId}, ${teamId}, ${period}, ${start}, coalesce(spent.ticks, 0), coalesce(spent.tokens, 0),
      coalesce(reserved.ticks, 0), coalesce(reserved.tokens, 0)
    from (${spentOf(dialect, budget, span)}) as spent, (
      select sum(bound_ticks) as ticks, sum(bound_tokens) as tokens from ${dialect.readBy(sql`runs`, "runs_running")}
      where state = 'running' and ${isRunOf(dialect, budget)} and team_id = ${teamId}
        and start_time >= ${span.start} and start_time < ${span.end}
    ) as reserved`;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

const tokens = sql`prompt_tokens + completion_tokens + reasoning_tokens`;

/**
 * Sums the runs that have ended by the hours of their key, team or label, which triggers keep with every run, and which are far fewer.
 * A member's are summed one by one: hours do not have who created a key, and the key may be deleted.
 */
function spentOf(dialect: Dialect, budget: Budget, { start, end }: Span): RawBuilder<unknown> {
  const { teamId, subject, subjectId } = budget;
  if (subject === "tag" || subject === "user")
    return sql`select sum(cost_ticks) as ticks, sum(${tokens}) as tokens from usage_label_hours
      where team_id = ${teamId} and kind = ${subject} and hour >= ${start} and hour < ${end} and label = ${subjectId}`;
  const isOf = isRunOf(dialect, budget);
  // Hours are found by the index of keys, not by that of teams.
  if (subject !== "member")
    return sql`select sum(cost_ticks) as ticks, sum(${tokens}) as tokens from usage_hours
      where ${isOf} and ${dialect.unindexed(sql`team_id`)} = ${teamId} and hour >= ${start} and hour < ${end}`;
  return sql`select sum(ticks) as ticks, sum(tokens) as tokens from (
    select cost_ticks as ticks, case when state = 'interrupted' then 0 else ${tokens} end as tokens from runs
      where ${isOf} and team_id = ${teamId} and start_time >= ${start} and start_time < ${end} and state <> 'running'
    union all
    select cost_ticks, ${tokens} from deleted_runs
      where ${isOf} and team_id = ${teamId} and hour >= ${start} and hour < ${end}) as used`;
}

function isRunOf(dialect: Dialect, budget: Budget): RawBuilder<unknown> {
  const { subject } = budget;
  if (subject === "tag" || subject === "user")
    return sql`exists (select 1 from run_labels
      where run_id = runs.id and ${storedId(budget)} in ${dialect.listOf(sql`run_labels.subjects`)})`;
  const columns = { key: "api_key_id", member: "user_id", team: "team_id" } as const;
  return sql`${sql.ref(columns[subject])} = ${budget.subjectId}`;
}
