import type { Migration } from "../../migrations/migration.js";

const ended = (column: string, otherwise = "0"): string =>
  `case when new.state = 'running' then ${otherwise} else ${column} end`;

const held = (column: string): string =>
  `case when new.state = 'running' then coalesce(${column}, 0) else 0 end`;

const tokens = "new.prompt_tokens + new.completion_tokens + new.reasoning_tokens";

/** A lock for each team, apart from the locks that are pairs of numbers. */
const lockOf = (team: string): string => `hashtextextended('hearth budgets of ' || ${team}, 0)`;

/**
 * Runs share a lock of their team, and a change of the team's budgets takes it alone: a budget begins with the sums of runs, and none
 * may begin or end while they are read.
 */
const locks: Migration = [
  `create function runs_share_budgets() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(${lockOf("new.team_id")});
  return new;
end $$`,
  `create trigger runs_begin_with_budgets before insert on runs for each row execute function runs_share_budgets()`,
  `create trigger runs_end_with_budgets before update of state on runs for each row
  when (old.state = 'running' and new.state <> 'running') execute function runs_share_budgets()`,
  `create function budgets_take_lock() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(${lockOf("coalesce(new.team_id, old.team_id)")});
  return coalesce(new, old);
end $$`,
  `create trigger budgets_change_alone before insert or delete on budgets for each row execute function budgets_take_lock()`,
];

/** Counts what runs have spent and reserved of budgets, and refuses a run beyond one. Rows are locked in one order. */
const counting: Migration = [
  `create function runs_begun_budget() returns trigger language plpgsql as $$
begin
  insert into budget_periods as kept (subject_id, team_id, period, start_time, spent_ticks, spent_tokens, reserved_ticks, reserved_tokens)
    select subject_id, team_id, period, period_start(period, new.start_time), ${ended("new.cost_ticks")}, ${ended(tokens)},
      ${held("new.bound_ticks")}, ${held("new.bound_tokens")}
    from budgets where subject_id in (new.api_key_id, new.user_id, new.team_id) and team_id = new.team_id
    order by subject_id, period
  on conflict (subject_id, team_id, period, start_time) do update set spent_ticks = kept.spent_ticks + excluded.spent_ticks,
    spent_tokens = kept.spent_tokens + excluded.spent_tokens,
    reserved_ticks = kept.reserved_ticks + excluded.reserved_ticks,
    reserved_tokens = kept.reserved_tokens + excluded.reserved_tokens;
  if found and new.state = 'running' and exists (select 1 from budgets join budget_periods as spent using (subject_id, team_id, period)
      where subject_id in (new.api_key_id, new.user_id, new.team_id) and team_id = new.team_id
      and spent.start_time = period_start(period, new.start_time)
      and ((new.bound_ticks > 0 and spent_ticks + reserved_ticks > hard_ticks)
        or (new.bound_tokens > 0 and spent_tokens + reserved_tokens > hard_tokens))) then
    raise exception 'budget';
  end if;
  return null;
end $$`,
  `create trigger runs_begun_are_budgeted after insert on runs for each row when (new.state <> 'interrupted')
  execute function runs_begun_budget()`,
  `create function runs_ended_budget() returns trigger language plpgsql as $$
begin
  perform 1 from budget_periods where subject_id in (old.api_key_id, old.user_id, old.team_id) and team_id = old.team_id
    and start_time = period_start(period, old.start_time) order by subject_id, period for update;
  if found then
    update budget_periods set
      spent_ticks = spent_ticks + case when new.state = 'interrupted' then 0 else new.cost_ticks end,
      spent_tokens = spent_tokens + case when new.state = 'interrupted' then 0 else ${tokens} end,
      reserved_ticks = reserved_ticks - coalesce(old.bound_ticks, 0),
      reserved_tokens = reserved_tokens - coalesce(old.bound_tokens, 0)
    where subject_id in (old.api_key_id, old.user_id, old.team_id) and team_id = old.team_id
      and start_time = period_start(period, old.start_time);
  end if;
  return null;
end $$`,
  `create trigger runs_ended_are_budgeted after update of state on runs for each row
  when (old.state = 'running' and new.state <> 'running') execute function runs_ended_budget()`,
];

const endings: Migration = [
  `create function budgets_end() returns trigger language plpgsql as $$
begin
  delete from budget_periods where subject_id = old.subject_id and team_id = old.team_id and period = old.period;
  return null;
end $$`,
  `create trigger budgets_end after delete on budgets for each row execute function budgets_end()`,
  `create function api_keys_end_budgets() returns trigger language plpgsql as $$
begin
  delete from budgets where subject_id = old.id;
  return null;
end $$`,
  `create trigger api_keys_end_their_budgets after delete on api_keys for each row execute function api_keys_end_budgets()`,
];

/** The triggers of budgets, as SQLite has them, and their locks. */
export const budgetTriggers: Migration = [...locks, ...counting, ...endings];
