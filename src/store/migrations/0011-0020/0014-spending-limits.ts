import type { Migration } from "../migration.js";

const month = (run: string): string =>
  `cast(strftime('%Y%m', ${run}.start_time / 1000, 'unixepoch') as integer)`;

/**
 * Adds the monthly spending of teams (UTC, such as 202611; a run belongs to the month in which it started), which triggers on
 * runs update, and its limits. The trigger rejects a reservation beyond a limit, also of concurrent writers.
 */
export const spendingLimits: Migration = [
  `create table spending_limits (
  team_id text primary key not null references teams (id),
  hard_ticks integer check (hard_ticks >= 0),
  soft_ticks integer check (soft_ticks >= 0)
) strict, without rowid`,
  `create table team_months (
  team_id text not null references teams (id),
  month integer not null check (month % 100 between 1 and 12),
  charged_ticks integer not null check (charged_ticks >= 0),
  reserved_ticks integer not null check (reserved_ticks >= 0),
  primary key (team_id, month)
) strict, without rowid`,
  `insert into team_months
  select team_id, ${month("runs")}, sum(iif(state = 'running', 0, cost_ticks)),
    sum(iif(state = 'running', coalesce(reserved_ticks, 0), 0))
  from runs group by 1, 2 having sum(cost_ticks + coalesce(reserved_ticks, 0)) > 0`,
  // Running runs without a row from the insert above get one when they end.
  `create trigger runs_begun_are_counted after insert on runs
when new.reserved_ticks > 0 or (new.state <> 'running' and new.cost_ticks > 0) begin
  insert into team_months values (
    new.team_id, ${month("new")}, iif(new.state = 'running', 0, new.cost_ticks),
    iif(new.state = 'running', new.reserved_ticks, 0))
  on conflict do update set charged_ticks = charged_ticks + excluded.charged_ticks,
    reserved_ticks = reserved_ticks + excluded.reserved_ticks;
  select raise(abort, 'monthly_limit') from spending_limits as bound
    join team_months as spent on spent.team_id = bound.team_id and spent.month = ${month("new")}
    where bound.team_id = new.team_id and new.state = 'running'
    and charged_ticks + reserved_ticks > min(
      coalesce(hard_ticks, 9223372036854775807), coalesce(soft_ticks, 9223372036854775807));
end`,
  `create trigger runs_ended_are_counted after update of state on runs
when old.state = 'running' and new.state <> 'running' and (new.cost_ticks > 0 or old.reserved_ticks > 0) begin
  insert into team_months values (old.team_id, ${month("old")}, new.cost_ticks, 0)
  on conflict do update set charged_ticks = charged_ticks + excluded.charged_ticks,
    reserved_ticks = reserved_ticks - coalesce(old.reserved_ticks, 0);
end`,
];
