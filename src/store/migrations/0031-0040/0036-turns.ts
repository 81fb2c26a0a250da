import type { Migration } from "../migration.js";

const month = (run: string): string =>
  `cast(strftime('%Y%m', ${run}.start_time / 1000, 'unixepoch') as integer)`;

/** The first millisecond of the period in which a run started. */
const periodStart = `case period
      when 'day' then old.start_time - old.start_time % 86400000
      when 'week' then old.start_time - (old.start_time + 259200000) % 604800000
      when 'month' then 1000 * cast(strftime('%s', old.start_time / 1000, 'unixepoch', 'start of month') as integer)
      else 0 end`;

const subjects = "(old.api_key_id, old.user_id, old.team_id)";

/** Returns the trigger that counts what is added. @param subjects whose budgets hold for the run `old`: a list or a subquery */
export const budgetEnlargement = (subjects: string): string =>
  `create trigger runs_enlarged_are_budgeted after update of bound_ticks, bound_tokens on runs
when old.state = 'running' and new.state = 'running' begin
  update budget_periods set
    reserved_ticks = reserved_ticks + coalesce(new.bound_ticks, 0) - coalesce(old.bound_ticks, 0),
    reserved_tokens = reserved_tokens + coalesce(new.bound_tokens, 0) - coalesce(old.bound_tokens, 0)
  where subject_id in ${subjects} and team_id = old.team_id and start_time = ${periodStart};
  select raise(abort, 'budget') from budgets join budget_periods as spent using (subject_id, team_id, period)
    where subject_id in ${subjects} and team_id = new.team_id and spent.start_time = ${periodStart}
    and ((new.bound_ticks > old.bound_ticks and spent_ticks + reserved_ticks > hard_ticks)
      or (new.bound_tokens > old.bound_tokens and spent_tokens + reserved_tokens > hard_tokens));
end`;

/**
 * Lets a run of several turns reserve credit for each of them when it comes: a run may have several transactions that reserve. Triggers
 * on runs count what is added against monthly limits and budgets, and reject it beyond them, also of concurrent writers. Adds the
 * approvals of calls that were used, so that none leads to a second call.
 */
export const turns: Migration = [
  `drop index ledger_reserves`,
  `create index ledger_reserves on ledger_transactions (run_id) where kind = 'reserve'`,
  `create trigger runs_enlarged_are_counted after update of reserved_ticks on runs
when old.state = 'running' and new.state = 'running' and new.reserved_ticks > old.reserved_ticks begin
  insert into team_months values (new.team_id, ${month("old")}, 0, new.reserved_ticks - old.reserved_ticks)
  on conflict do update set reserved_ticks = reserved_ticks + excluded.reserved_ticks;
  select raise(abort, 'monthly_limit') from spending_limits as bound
    join team_months as spent on spent.team_id = bound.team_id and spent.month = ${month("old")}
    where bound.team_id = new.team_id and charged_ticks + reserved_ticks > hard_ticks;
end`,
  budgetEnlargement(subjects),
  `create table mcp_approvals (
  team_id text not null references teams (id),
  id text not null,
  expire_time integer not null,
  primary key (team_id, id)
) strict, without rowid`,
  `create index mcp_approvals_by_expiry on mcp_approvals (expire_time)`,
];
