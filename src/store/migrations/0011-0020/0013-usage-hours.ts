import type { Migration } from "../migration.js";

/** The columns that are summed, in addition to the number of runs. */
const sums = [
  "prompt_tokens",
  "cached_tokens",
  "image_tokens",
  "completion_tokens",
  "reasoning_tokens",
  "cost_ticks",
  "credit_ticks",
] as const;

/**
 * Adds usage by the hour in which runs started. A trigger adds a run when it ends. `credit_ticks` is the part of the cost that
 * was taken from credit. An interrupted run has no usage: what a killed process had generated is unknown, and a job that
 * was returned to the queue starts again. The primary key is the range that a report reads; runs are listed by time and id.
 */
export const usageHours: Migration = [
  `alter table runs add column asked_model text`,
  `drop index runs_by_time`,
  `create index runs_by_time on runs (start_time, id)`,
  `create table usage_hours (
  team_id text not null,
  hour integer not null check (hour % 3600000 = 0),
  model text not null,
  asked_model text not null,
  api_key_id text not null,
  runs integer not null,
  ${sums.map((sum) => `${sum} integer not null`).join(",\n  ")},
  primary key (team_id, hour, model, asked_model, api_key_id)
) strict, without rowid`,
  `insert into usage_hours
  select team_id, start_time - start_time % 3600000, model, model, api_key_id, count(*),
    sum(prompt_tokens), sum(cached_tokens), sum(image_tokens), sum(completion_tokens), sum(reasoning_tokens),
    sum(cost_ticks), sum(iif(reserved_ticks is null, 0, cost_ticks))
  from runs where state not in ('running', 'interrupted') group by 1, 2, 3, 5`,
  rollUp("runs_ended_are_rolled_up", "insert", ""),
  rollUp("runs_are_rolled_up", "update of state", "old.state = 'running' and "),
];

function rollUp(name: string, event: string, condition: string): string {
  const added = sums.map((sum) => `${sum} = ${sum} + excluded.${sum}`);
  return `create trigger ${name} after ${event} on runs
when ${condition}new.state not in ('running', 'interrupted') begin
  insert into usage_hours values (
    new.team_id, new.start_time - new.start_time % 3600000, new.model, coalesce(new.asked_model, new.model),
    new.api_key_id, 1, new.prompt_tokens, new.cached_tokens, new.image_tokens, new.completion_tokens,
    new.reasoning_tokens, new.cost_ticks, iif(new.reserved_ticks is null, 0, new.cost_ticks))
  on conflict do update set runs = runs + 1,
    ${added.join(",\n    ")};
end`;
}
