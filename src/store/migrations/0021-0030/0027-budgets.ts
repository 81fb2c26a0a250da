import type { Migration } from "../migration.js";

/** The first millisecond of the period in which a run started (UTC; a week starts on Monday, and so three days before the epoch). */
export const periodStart = (period: string, run: string): string => `case ${period}
      when 'day' then ${run}.start_time - ${run}.start_time % 86400000
      when 'week' then ${run}.start_time - (${run}.start_time + 259200000) % 604800000
      when 'month' then 1000 * cast(strftime('%s', ${run}.start_time / 1000, 'unixepoch', 'start of month') as integer)
      else 0 end`;

export const tokens = (run: string): string =>
  `${run}.prompt_tokens + ${run}.completion_tokens + ${run}.reasoning_tokens`;

/** Ids of keys, members and teams differ, so that they need no kind here. */
const subjects = (run: string): string => `(${run}.api_key_id, ${run}.user_id, ${run}.team_id)`;

/** The triggers that keep what is spent of budgets. They read the table of budgets, and are made again with it. */
export const budgetTriggers: readonly string[] = [
  `create trigger budgets_end after delete on budgets begin
  delete from budget_periods where subject_id = old.subject_id and team_id = old.team_id and period = old.period;
end`,
  `create trigger api_keys_end_their_budgets after delete on api_keys begin
  delete from budgets where subject_id = old.id;
end`,
  `create trigger runs_begun_are_budgeted after insert on runs
when new.state <> 'interrupted'
  and exists (select 1 from budgets where subject_id in ${subjects("new")} and team_id = new.team_id) begin
  insert into budget_periods (subject_id, team_id, period, start_time, spent_ticks, spent_tokens, reserved_ticks, reserved_tokens)
    select subject_id, team_id, period, ${periodStart("period", "new")},
      iif(new.state = 'running', 0, new.cost_ticks), iif(new.state = 'running', 0, ${tokens("new")}),
      iif(new.state = 'running', coalesce(new.bound_ticks, 0), 0),
      iif(new.state = 'running', coalesce(new.bound_tokens, 0), 0)
    from budgets where subject_id in ${subjects("new")} and team_id = new.team_id
  on conflict do update set spent_ticks = spent_ticks + excluded.spent_ticks,
    spent_tokens = spent_tokens + excluded.spent_tokens,
    reserved_ticks = reserved_ticks + excluded.reserved_ticks,
    reserved_tokens = reserved_tokens + excluded.reserved_tokens;
  select raise(abort, 'budget') from budgets join budget_periods as spent using (subject_id, team_id, period)
    where subject_id in ${subjects("new")} and team_id = new.team_id and new.state = 'running'
    and spent.start_time = ${periodStart("period", "new")}
    and ((new.bound_ticks > 0 and spent_ticks + reserved_ticks > hard_ticks)
      or (new.bound_tokens > 0 and spent_tokens + reserved_tokens > hard_tokens));
end`,
  `create trigger runs_ended_are_budgeted after update of state on runs
when old.state = 'running' and new.state <> 'running' begin
  update budget_periods set
    spent_ticks = spent_ticks + iif(new.state = 'interrupted', 0, new.cost_ticks),
    spent_tokens = spent_tokens + iif(new.state = 'interrupted', 0, ${tokens("new")}),
    reserved_ticks = reserved_ticks - coalesce(old.bound_ticks, 0),
    reserved_tokens = reserved_tokens - coalesce(old.bound_tokens, 0)
  where subject_id in ${subjects("old")} and team_id = old.team_id
    and start_time = ${periodStart("period", "old")};
end`,
];

/**
 * Adds budgets of keys, members and teams, and what is spent of them in each period, which triggers on runs update. The trigger
 * rejects a run beyond a budget, also of concurrent writers. A run stores who created its key and the most that it can cost and use.
 */
export const budgets: Migration = [
  `alter table runs add column user_id text`,
  `alter table runs add column bound_ticks integer check (bound_ticks >= 0)`,
  `alter table runs add column bound_tokens integer check (bound_tokens >= 0)`,
  `update runs set user_id = (select user_id from api_keys where api_keys.id = runs.api_key_id)`,
  `create index usage_hours_by_key on usage_hours (api_key_id, hour)`,
  `create table budgets (
  subject_id text not null,
  team_id text not null references teams (id),
  period text not null check (period in ('day', 'week', 'month', 'total')),
  subject text not null check (subject in ('key', 'member', 'team')),
  hard_ticks integer check (hard_ticks >= 0),
  soft_ticks integer check (soft_ticks >= 0),
  hard_tokens integer check (hard_tokens >= 0),
  soft_tokens integer check (soft_tokens >= 0),
  create_time integer not null,
  primary key (subject_id, team_id, period),
  check (coalesce(hard_ticks, soft_ticks, hard_tokens, soft_tokens) is not null)
) strict, without rowid`,
  `create index budgets_by_team on budgets (team_id, create_time, subject_id, period)`,
  `create table budget_periods (
  subject_id text not null,
  team_id text not null references teams (id),
  period text not null,
  start_time integer not null,
  spent_ticks integer not null check (spent_ticks >= 0),
  spent_tokens integer not null check (spent_tokens >= 0),
  reserved_ticks integer not null check (reserved_ticks >= 0),
  reserved_tokens integer not null check (reserved_tokens >= 0),
  warned integer not null default 0 check (warned in (0, 1)),
  primary key (subject_id, team_id, period, start_time)
) strict, without rowid`,
  ...budgetTriggers,
];
