import { spendLabels } from "../../migrations/0031-0040/0032-spend-labels.js";
import type { Migration } from "../../migrations/migration.js";
import { translated } from "./translate.js";

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

const tokens = (run: string): string =>
  `${run}.prompt_tokens + ${run}.completion_tokens + ${run}.reasoning_tokens`;

/** Columns and tables; the table of budgets need not be made again. */
const tables = translated(
  spendLabels.filter((statement) =>
    /^(alter table (run_labels|jobs|batches) |create table (counted_labels|usage_label_hours) )/.test(
      statement,
    ),
  ),
);

const subjectsOf = (labels: string): string => `json_array_elements_text(cast(${labels} as json))`;

/** Adds an ended run to the usage of its labels: of each that is counted by itself, and once of `*` for the others of its kind. */
const usage: Migration = [
  `create function add_label_usage(run runs, labels text[]) returns void language plpgsql as $$
begin
  insert into usage_label_hours as kept (team_id, kind, hour, label, model, asked_model, api_key_id, runs, ${sums.join(", ")},
      credit_ticks)
    select run.team_id, counted.kind, run.start_time - run.start_time % 3600000, counted.label, run.model,
      coalesce(run.asked_model, run.model), run.api_key_id, 1, ${sums.map((sum) => `run.${sum}`).join(", ")},
      case when run.reserved_ticks is null then 0 else run.cost_ticks end
    from (
      select distinct kind, case
        when exists (select 1 from budgets where subject_id = label_id and team_id = run.team_id)
          or exists (select 1 from counted_labels where counted_labels.team_id = run.team_id and month = month_of(run.start_time)
            and source in (case when kind = 'user' then 'user' else 'header' end, case when kind = 'user' then 'user' else 'metadata' end)
            and counted_labels.label = named)
        then named else '*' end as label
      from (select label_id, split_part(label_id, ':', 1) as kind, substr(label_id, position(':' in label_id) + 1) as named
        from unnest(labels) as label_id) as named_labels
      order by 1, 2
    ) as counted
  on conflict (team_id, kind, hour, label, model, asked_model, api_key_id) do update set runs = kept.runs + 1,
    ${[...sums, "credit_ticks"].map((sum) => `${sum} = kept.${sum} + excluded.${sum}`).join(",\n    ")};
end $$`,
];

/** The labels of a run that is updated. */
const labelsOfRun = `array(select value from run_labels, ${subjectsOf("run_labels.subjects")} as value where run_id = new.id)`;

const isBeyond = (run: string, hasMore: (bound: string) => string): string =>
  `exists (select 1 from budgets join budget_periods as spent using (subject_id, team_id, period)
      where team_id = ${run}.team_id and subject_id = any(labels) and spent.start_time = period_start(period, ${run}.start_time)
      and ((${hasMore("bound_ticks")} and spent_ticks + reserved_ticks > hard_ticks)
        or (${hasMore("bound_tokens")} and spent_tokens + reserved_tokens > hard_tokens)))`;

const whileRunning = (column: string): string =>
  `case when run.state = 'running' then coalesce(run.${column}, 0) else 0 end`;

const onceEnded = (amount: string): string => `case when run.state = 'running' then 0 else ${amount} end`;

/** The row of labels is inserted after the run, in its transaction. */
const begin: Migration = [
  `create function labelled_runs_budget() returns trigger language plpgsql as $$
declare
  run runs;
  labels text[] := array(select ${subjectsOf("new.subjects")});
begin
  select * into run from runs where id = new.run_id;
  insert into budget_periods as kept (subject_id, team_id, period, start_time, spent_ticks, spent_tokens, reserved_ticks, reserved_tokens)
    select subject_id, team_id, period, period_start(period, run.start_time), ${onceEnded("run.cost_ticks")},
      ${onceEnded(tokens("run"))}, ${whileRunning("bound_ticks")}, ${whileRunning("bound_tokens")}
    from budgets where run.state <> 'interrupted' and team_id = run.team_id and subject_id = any(labels)
    order by subject_id, period
  on conflict (subject_id, team_id, period, start_time) do update set spent_ticks = kept.spent_ticks + excluded.spent_ticks,
    spent_tokens = kept.spent_tokens + excluded.spent_tokens,
    reserved_ticks = kept.reserved_ticks + excluded.reserved_ticks,
    reserved_tokens = kept.reserved_tokens + excluded.reserved_tokens;
  if found and run.state = 'running' and ${isBeyond("run", (bound) => `run.${bound} > 0`)} then
    raise exception 'budget';
  end if;
  return null;
end $$`,
  `create trigger labelled_runs_are_budgeted after insert on run_labels for each row when (new.subjects <> '[]')
  execute function labelled_runs_budget()`,
  `create function labelled_runs_sum() returns trigger language plpgsql as $$
declare
  run runs;
begin
  select * into run from runs where id = new.run_id and state not in ('running', 'interrupted');
  if found then
    perform add_label_usage(run, array(select ${subjectsOf("new.subjects")}));
  end if;
  return null;
end $$`,
  `create trigger labelled_runs_ended_are_summed after insert on run_labels for each row when (new.subjects <> '[]')
  execute function labelled_runs_sum()`,
];

/** Triggers of a table are executed in the order of their names: these lock rows after the others, as those of the beginning do. */
const changes: Migration = [
  `create function lock_label_periods(run runs, labels text[]) returns boolean language plpgsql as $$
begin
  perform 1 from budget_periods where subject_id = any(labels) and team_id = run.team_id
    and start_time = period_start(period, run.start_time) order by subject_id, period for update;
  return found;
end $$`,
  `create function runs_with_labels_end() returns trigger language plpgsql as $$
declare
  labels text[] := ${labelsOfRun};
begin
  if cardinality(labels) = 0 then
    return null;
  end if;
  if lock_label_periods(old, labels) then
    update budget_periods set
      spent_ticks = spent_ticks + case when new.state = 'interrupted' then 0 else new.cost_ticks end,
      spent_tokens = spent_tokens + case when new.state = 'interrupted' then 0 else ${tokens("new")} end,
      reserved_ticks = reserved_ticks - coalesce(old.bound_ticks, 0),
      reserved_tokens = reserved_tokens - coalesce(old.bound_tokens, 0)
    where subject_id = any(labels) and team_id = old.team_id and start_time = period_start(period, old.start_time);
  end if;
  if new.state <> 'interrupted' then
    perform add_label_usage(new, labels);
  end if;
  return null;
end $$`,
  `create trigger runs_with_labels_are_summed after update of state on runs for each row
  when (old.state = 'running' and new.state <> 'running') execute function runs_with_labels_end()`,
  `create function runs_with_labels_enlarge() returns trigger language plpgsql as $$
declare
  labels text[] := ${labelsOfRun};
begin
  if cardinality(labels) = 0 or not lock_label_periods(old, labels) then
    return null;
  end if;
  update budget_periods set
    reserved_ticks = reserved_ticks + coalesce(new.bound_ticks, 0) - coalesce(old.bound_ticks, 0),
    reserved_tokens = reserved_tokens + coalesce(new.bound_tokens, 0) - coalesce(old.bound_tokens, 0)
  where subject_id = any(labels) and team_id = old.team_id and start_time = period_start(period, old.start_time);
  if ${isBeyond("old", (bound) => `new.${bound} > old.${bound}`)} then
    raise exception 'budget';
  end if;
  return null;
end $$`,
  `create trigger runs_enlarged_with_labels_are_budgeted after update of bound_ticks, bound_tokens on runs for each row
  when (old.state = 'running' and new.state = 'running') execute function runs_with_labels_enlarge()`,
];

/** Adds spend by the labels of runs, and their budgets; SQLite has the same. */
export const spendLabelsOfPostgres: Migration = [
  ...tables,
  `alter table budgets drop constraint budgets_subject_check`,
  `alter table budgets add constraint budgets_subject_check check (subject in ('key', 'member', 'team', 'tag', 'user'))`,
  ...usage,
  ...begin,
  ...changes,
];
