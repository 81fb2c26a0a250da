import type { Migration } from "../../migrations/migration.js";

/** Lets a run of several turns reserve credit for each of them; SQLite has the same. */
export const turnsOfPostgres: Migration = [
  `drop index ledger_reserves`,
  `create index ledger_reserves on ledger_transactions (run_id) where kind = 'reserve'`,
  `create function runs_enlarged_count() returns trigger language plpgsql as $$
begin
  insert into team_months as kept (team_id, month, charged_ticks, reserved_ticks)
    values (new.team_id, month_of(old.start_time), 0, new.reserved_ticks - old.reserved_ticks)
  on conflict (team_id, month) do update set reserved_ticks = kept.reserved_ticks + excluded.reserved_ticks;
  if exists (select 1 from spending_limits as bound
      join team_months as spent on spent.team_id = bound.team_id and spent.month = month_of(old.start_time)
      where bound.team_id = new.team_id and charged_ticks + reserved_ticks > hard_ticks) then
    raise exception 'monthly_limit';
  end if;
  return null;
end $$`,
  `create trigger runs_enlarged_are_counted after update of reserved_ticks on runs for each row
  when (old.state = 'running' and new.state = 'running' and new.reserved_ticks > old.reserved_ticks)
  execute function runs_enlarged_count()`,
  `create trigger runs_grow_with_budgets before update of bound_ticks, bound_tokens on runs for each row
  when (old.state = 'running' and new.state = 'running') execute function runs_share_budgets()`,
  `create function runs_enlarged_budget() returns trigger language plpgsql as $$
begin
  perform 1 from budget_periods where subject_id in (old.api_key_id, old.user_id, old.team_id) and team_id = old.team_id
    and start_time = period_start(period, old.start_time) order by subject_id, period for update;
  if not found then
    return null;
  end if;
  update budget_periods set
    reserved_ticks = reserved_ticks + coalesce(new.bound_ticks, 0) - coalesce(old.bound_ticks, 0),
    reserved_tokens = reserved_tokens + coalesce(new.bound_tokens, 0) - coalesce(old.bound_tokens, 0)
  where subject_id in (old.api_key_id, old.user_id, old.team_id) and team_id = old.team_id
    and start_time = period_start(period, old.start_time);
  if exists (select 1 from budgets join budget_periods as spent using (subject_id, team_id, period)
      where subject_id in (old.api_key_id, old.user_id, old.team_id) and team_id = new.team_id
      and spent.start_time = period_start(period, old.start_time)
      and ((new.bound_ticks > old.bound_ticks and spent_ticks + reserved_ticks > hard_ticks)
        or (new.bound_tokens > old.bound_tokens and spent_tokens + reserved_tokens > hard_tokens))) then
    raise exception 'budget';
  end if;
  return null;
end $$`,
  `create trigger runs_enlarged_are_budgeted after update of bound_ticks, bound_tokens on runs for each row
  when (old.state = 'running' and new.state = 'running') execute function runs_enlarged_budget()`,
  `create table mcp_approvals (
  team_id text collate "C" not null references teams (id),
  id text collate "C" not null,
  expire_time bigint not null,
  primary key (team_id, id)
)`,
  `create index mcp_approvals_by_expiry on mcp_approvals (expire_time)`,
];
