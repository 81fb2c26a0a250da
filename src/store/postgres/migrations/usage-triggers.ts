import type { Migration } from "../../migrations/migration.js";

/** Makes a trigger that refuses changes of the rows of a table. */
const appendOnly = (table: string, what: string): Migration => [
  `create function ${table}_refuse() returns trigger language plpgsql as $$
begin
  raise exception '${what} is append-only';
end $$`,
  `create trigger ${table}_refuse_changes before update or delete on ${table} for each row execute function ${table}_refuse()`,
];

/** The statement that adds what a run has used and cost to the hour, or another span of time, in which it started. */
export const sumsOfTime = (table: string, column: string, spanMs: number): string =>
  `insert into ${table} as kept (team_id, ${column}, model, asked_model, api_key_id, runs, prompt_tokens, cached_tokens, image_tokens,
      completion_tokens, reasoning_tokens, cost_ticks, credit_ticks, images)
    values (new.team_id, new.start_time - new.start_time % ${spanMs}, new.model, coalesce(new.asked_model, new.model),
      new.api_key_id, 1, new.prompt_tokens, new.cached_tokens, new.image_tokens, new.completion_tokens,
      new.reasoning_tokens, new.cost_ticks, credit, new.images)
  on conflict (team_id, ${column}, model, asked_model, api_key_id) do update set runs = kept.runs + 1,
    prompt_tokens = kept.prompt_tokens + excluded.prompt_tokens,
    cached_tokens = kept.cached_tokens + excluded.cached_tokens,
    image_tokens = kept.image_tokens + excluded.image_tokens,
    completion_tokens = kept.completion_tokens + excluded.completion_tokens,
    reasoning_tokens = kept.reasoning_tokens + excluded.reasoning_tokens,
    cost_ticks = kept.cost_ticks + excluded.cost_ticks,
    credit_ticks = kept.credit_ticks + excluded.credit_ticks,
    images = kept.images + excluded.images;`;

/** The same for the month, by price. */
export const sumsOfMonth = `insert into usage_months as kept (team_id, month, model, price_id, image_ticks, evaluated_tokens, cached_tokens,
      completion_tokens, reasoning_tokens, images, cost_ticks, credit_ticks)
    values (new.team_id, month_of(new.start_time), new.model, coalesce(new.price_id, 0), new.image_ticks,
      new.prompt_tokens - new.cached_tokens, new.cached_tokens, new.completion_tokens, new.reasoning_tokens,
      new.images, new.cost_ticks, credit)
  on conflict (team_id, month, model, price_id, image_ticks) do update set
    evaluated_tokens = kept.evaluated_tokens + excluded.evaluated_tokens,
    cached_tokens = kept.cached_tokens + excluded.cached_tokens,
    completion_tokens = kept.completion_tokens + excluded.completion_tokens,
    reasoning_tokens = kept.reasoning_tokens + excluded.reasoning_tokens,
    images = kept.images + excluded.images,
    cost_ticks = kept.cost_ticks + excluded.cost_ticks,
    credit_ticks = kept.credit_ticks + excluded.credit_ticks;`;

const rollUp: Migration = [
  `create function runs_roll_up() returns trigger language plpgsql as $$
declare
  credit bigint := case when new.reserved_ticks is null then 0 else new.cost_ticks end;
begin
  ${sumsOfTime("usage_hours", "hour", 3_600_000)}
  ${sumsOfMonth}
  return null;
end $$`,
  `create trigger runs_are_rolled_up after update of state on runs for each row
  when (old.state = 'running' and new.state not in ('running', 'interrupted')) execute function runs_roll_up()`,
  `create trigger runs_ended_are_rolled_up after insert on runs for each row
  when (new.state not in ('running', 'interrupted')) execute function runs_roll_up()`,
];

/** Counts what a team has spent and reserved in a month, and refuses a run beyond its limit. */
const months: Migration = [
  `create function runs_begun_count() returns trigger language plpgsql as $$
begin
  insert into team_months as kept (team_id, month, charged_ticks, reserved_ticks)
    values (new.team_id, month_of(new.start_time), case when new.state = 'running' then 0 else new.cost_ticks end,
      case when new.state = 'running' then new.reserved_ticks else 0 end)
  on conflict (team_id, month) do update set charged_ticks = kept.charged_ticks + excluded.charged_ticks,
    reserved_ticks = kept.reserved_ticks + excluded.reserved_ticks;
  if new.state = 'running' and exists (select 1 from spending_limits as bound
      join team_months as spent on spent.team_id = bound.team_id and spent.month = month_of(new.start_time)
      where bound.team_id = new.team_id and charged_ticks + reserved_ticks > hard_ticks) then
    raise exception 'monthly_limit';
  end if;
  return null;
end $$`,
  `create trigger runs_begun_are_counted after insert on runs for each row
  when (new.reserved_ticks > 0 or (new.state <> 'running' and new.cost_ticks > 0)) execute function runs_begun_count()`,
  `create function runs_ended_count() returns trigger language plpgsql as $$
begin
  insert into team_months as kept (team_id, month, charged_ticks, reserved_ticks)
    values (old.team_id, month_of(old.start_time), new.cost_ticks, 0)
  on conflict (team_id, month) do update set charged_ticks = kept.charged_ticks + excluded.charged_ticks,
    reserved_ticks = kept.reserved_ticks - coalesce(old.reserved_ticks, 0);
  return null;
end $$`,
  `create trigger runs_ended_are_counted after update of state on runs for each row
  when (old.state = 'running' and new.state <> 'running' and (new.cost_ticks > 0 or old.reserved_ticks > 0))
  execute function runs_ended_count()`,
];

/** Adds a deleted run to the sums of deleted runs. An interrupted run costs nothing, and counts for nothing. */
const deletedRuns: Migration = [
  `create function runs_deleted_sum() returns trigger language plpgsql as $$
declare
  counted bigint := case when old.state = 'interrupted' then 0 else 1 end;
begin
  delete from run_labels where run_id = old.id;
  insert into deleted_runs as kept (team_id, hour, model, asked_model, api_key_id, user_id, price_id, image_ticks, runs, charged_runs,
      released_runs, prompt_tokens, cached_tokens, image_tokens, completion_tokens, reasoning_tokens, images, cost_ticks, credit_ticks)
    values (old.team_id, old.start_time - old.start_time % 3600000, old.model, coalesce(old.asked_model, old.model),
      old.api_key_id, coalesce(old.user_id, ''), coalesce(old.price_id, 0), old.image_ticks, counted,
      case when old.price_id is not null and old.cost_ticks > 0 then 1 else 0 end,
      case when old.price_id is not null and old.cost_ticks = 0 and coalesce(old.reserved_ticks, 0) > 0 then 1 else 0 end,
      counted * old.prompt_tokens, counted * old.cached_tokens, counted * old.image_tokens, counted * old.completion_tokens,
      counted * old.reasoning_tokens, counted * old.images, counted * old.cost_ticks,
      case when old.reserved_ticks is null then 0 else old.cost_ticks end)
  on conflict (team_id, hour, model, asked_model, api_key_id, user_id, price_id, image_ticks) do update set
    runs = kept.runs + excluded.runs,
    charged_runs = kept.charged_runs + excluded.charged_runs,
    released_runs = kept.released_runs + excluded.released_runs,
    prompt_tokens = kept.prompt_tokens + excluded.prompt_tokens,
    cached_tokens = kept.cached_tokens + excluded.cached_tokens,
    image_tokens = kept.image_tokens + excluded.image_tokens,
    completion_tokens = kept.completion_tokens + excluded.completion_tokens,
    reasoning_tokens = kept.reasoning_tokens + excluded.reasoning_tokens,
    images = kept.images + excluded.images,
    cost_ticks = kept.cost_ticks + excluded.cost_ticks,
    credit_ticks = kept.credit_ticks + excluded.credit_ticks;
  return null;
end $$`,
  `create trigger runs_deleted_are_summed after delete on runs for each row when (old.state <> 'running')
  execute function runs_deleted_sum()`,
];

/** Adds an entry to the balance of its account; the checks of balances refuse an overdraft, also of concurrent writers. */
const balances: Migration = [
  `create function ledger_entries_count() returns trigger language plpgsql as $$
declare
  team text := (select team_id from ledger_transactions where id = new.transaction_id);
begin
  insert into ledger_balances (team_id, account, balance_ticks) values (team, new.account, 0)
    on conflict (team_id, account) do nothing;
  update ledger_balances set balance_ticks = balance_ticks + new.amount_ticks
    where team_id = team and account = new.account;
  return null;
end $$`,
  `create trigger ledger_entries_are_counted after insert on ledger_entries for each row execute function ledger_entries_count()`,
];

/** The triggers of the ledger, the audit log, and the sums of runs, as SQLite has them. */
export const usageTriggers: Migration = [
  ...appendOnly("audit_events", "the audit log"),
  ...appendOnly("ledger_transactions", "the ledger"),
  ...appendOnly("ledger_entries", "the ledger"),
  ...balances,
  ...rollUp,
  ...months,
  ...deletedRuns,
];
