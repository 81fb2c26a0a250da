import { budgetTriggers, periodStart, tokens } from "../0021-0030/0027-budgets.js";
import { budgetEnlargement } from "./0036-turns.js";
import type { Migration } from "../migration.js";

/** The columns that are summed, in addition to the number of runs. */
const sums = [
  "prompt_tokens",
  "cached_tokens",
  "image_tokens",
  "completion_tokens",
  "reasoning_tokens",
  "images",
  "cost_ticks",
] as const;

/** Budgets of the labels of a run. */
const budgetsOf = (run: string, subjects: string): string =>
  `budgets on budgets.team_id = ${run}.team_id and budgets.subject_id in (select value from json_each(${subjects}))`;

/**
 * Adds an ended run to the usage of its labels: of each that is counted by itself, and once of `*` for the others of its kind.
 * @param id expression of the run's id.
 */
const addToUsage = (id: string): string =>
  `insert into usage_label_hours (team_id, kind, hour, label, model, asked_model, api_key_id, runs, ${sums.join(", ")}, credit_ticks)
    select run.team_id, kind, run.start_time - run.start_time % 3600000, label, run.model, coalesce(run.asked_model, run.model),
      run.api_key_id, 1, ${sums.map((sum) => `run.${sum}`).join(", ")}, iif(run.reserved_ticks is null, 0, run.cost_ticks)
    from runs as run join (
      select distinct kind, iif(
        exists (select 1 from budgets where budgets.subject_id = label_id and budgets.team_id = team)
          or exists (select 1 from counted_labels where counted_labels.team_id = team and counted_labels.month = began_in
            and source in (iif(kind = 'user', 'user', 'header'), iif(kind = 'user', 'user', 'metadata'))
            and counted_labels.label = named),
        named, '*') as label
      from (select value as label_id, substr(value, 1, instr(value, ':') - 1) as kind,
          substr(value, instr(value, ':') + 1) as named, labelled.team_id as team,
          cast(strftime('%Y%m', labelled.start_time / 1000, 'unixepoch') as integer) as began_in
        from run_labels join runs as labelled on labelled.id = run_id, json_each(run_labels.subjects) where run_id = ${id})
    ) where run.id = ${id} and run.state not in ('running', 'interrupted')
  on conflict do update set runs = runs + 1,
    ${[...sums, "credit_ticks"].map((sum) => `${sum} = ${sum} + excluded.${sum}`).join(",\n    ")}`;

/**
 * Adds what spend is counted by besides keys, members and teams: the tags and the end user of a run, which its row of labels has; their
 * usage by the hour, and their budgets. The row of labels is inserted after the run: its trigger rejects a run beyond a budget. The
 * table of budgets is made again, because SQLite cannot change the check of its column `subject`.
 */
export const spendLabels: Migration = [
  `alter table run_labels add column subjects text not null default '[]'`,
  `alter table jobs add column tags text`,
  `alter table batches add column tags text`,
  `create table counted_labels (
  team_id text not null,
  month integer not null,
  source text not null check (source in ('header', 'metadata', 'user')),
  label text not null,
  primary key (team_id, month, source, label)
) strict, without rowid`,
  `create table usage_label_hours (
  team_id text not null,
  kind text not null check (kind in ('tag', 'user')),
  hour integer not null check (hour % 3600000 = 0),
  label text not null,
  model text not null,
  asked_model text not null,
  api_key_id text not null,
  runs integer not null,
  ${sums.map((sum) => `${sum} integer not null`).join(",\n  ")},
  credit_ticks integer not null,
  primary key (team_id, kind, hour, label, model, asked_model, api_key_id)
) strict, without rowid`,
  ...["budgets_end", "api_keys_end_their_budgets"].map((name) => `drop trigger ${name}`),
  ...["begun", "ended", "enlarged"].map((when) => `drop trigger runs_${when}_are_budgeted`),
  `create table budgets_with_labels (
  subject_id text not null,
  team_id text not null references teams (id),
  period text not null check (period in ('day', 'week', 'month', 'total')),
  subject text not null check (subject in ('key', 'member', 'team', 'tag', 'user')),
  hard_ticks integer check (hard_ticks >= 0),
  soft_ticks integer check (soft_ticks >= 0),
  hard_tokens integer check (hard_tokens >= 0),
  soft_tokens integer check (soft_tokens >= 0),
  create_time integer not null,
  primary key (subject_id, team_id, period),
  check (coalesce(hard_ticks, soft_ticks, hard_tokens, soft_tokens) is not null)
) strict, without rowid`,
  `insert into budgets_with_labels select subject_id, team_id, period, subject, hard_ticks, soft_ticks, hard_tokens, soft_tokens,
    create_time from budgets`,
  `drop table budgets`,
  `alter table budgets_with_labels rename to budgets`,
  `create index budgets_by_team on budgets (team_id, create_time, subject_id, period)`,
  ...budgetTriggers,
  budgetEnlargement(`(select old.api_key_id union all select old.user_id union all select old.team_id
      union all select value from run_labels, json_each(run_labels.subjects) where run_id = old.id)`),
  `create trigger labelled_runs_are_budgeted after insert on run_labels
when new.subjects <> '[]'
  and exists (select 1 from runs as run join ${budgetsOf("run", "new.subjects")} where run.id = new.run_id) begin
  insert into budget_periods (subject_id, team_id, period, start_time, spent_ticks, spent_tokens, reserved_ticks, reserved_tokens)
    select subject_id, run.team_id, period, ${periodStart("period", "run")},
      iif(run.state = 'running', 0, run.cost_ticks), iif(run.state = 'running', 0, ${tokens("run")}),
      iif(run.state = 'running', coalesce(run.bound_ticks, 0), 0),
      iif(run.state = 'running', coalesce(run.bound_tokens, 0), 0)
    from runs as run join ${budgetsOf("run", "new.subjects")} where run.id = new.run_id and run.state <> 'interrupted'
  on conflict do update set spent_ticks = spent_ticks + excluded.spent_ticks,
    spent_tokens = spent_tokens + excluded.spent_tokens,
    reserved_ticks = reserved_ticks + excluded.reserved_ticks,
    reserved_tokens = reserved_tokens + excluded.reserved_tokens;
  select raise(abort, 'budget') from runs as run join ${budgetsOf("run", "new.subjects")}
    join budget_periods as spent on spent.subject_id = budgets.subject_id and spent.team_id = budgets.team_id
      and spent.period = budgets.period and spent.start_time = ${periodStart("budgets.period", "run")}
    where run.id = new.run_id and run.state = 'running'
    and ((run.bound_ticks > 0 and spent.spent_ticks + spent.reserved_ticks > hard_ticks)
      or (run.bound_tokens > 0 and spent.spent_tokens + spent.reserved_tokens > hard_tokens));
end`,
  `create trigger labelled_runs_ended_are_summed after insert on run_labels
when new.subjects <> '[]' and exists (select 1 from runs where id = new.run_id and state not in ('running', 'interrupted')) begin
  ${addToUsage("new.run_id")};
end`,
  `create trigger labelled_runs_are_summed after update of state on runs
when old.state = 'running' and new.state <> 'running'
  and exists (select 1 from run_labels where run_id = new.id and subjects <> '[]') begin
  ${addToUsage("new.id")};
  update budget_periods set
    spent_ticks = spent_ticks + iif(new.state = 'interrupted', 0, new.cost_ticks),
    spent_tokens = spent_tokens + iif(new.state = 'interrupted', 0, ${tokens("new")}),
    reserved_ticks = reserved_ticks - coalesce(old.bound_ticks, 0),
    reserved_tokens = reserved_tokens - coalesce(old.bound_tokens, 0)
  where subject_id in (select value from run_labels, json_each(run_labels.subjects) where run_id = new.id)
    and team_id = old.team_id and start_time = ${periodStart("period", "old")};
end`,
];
