import type { Migration } from "../migration.js";

const month = `cast(strftime('%Y%m', new.start_time / 1000, 'unixepoch') as integer)`;

/** The columns that follow `runs` in the tables of hours and of days, in order. */
const sums = [
  "prompt_tokens",
  "cached_tokens",
  "image_tokens",
  "completion_tokens",
  "reasoning_tokens",
  "cost_ticks",
  "credit_ticks",
  "images",
] as const;

const monthSums = [
  "evaluated_tokens",
  "cached_tokens",
  "completion_tokens",
  "reasoning_tokens",
  "images",
  "cost_ticks",
  "credit_ticks",
] as const;

/**
 * Adds the usage of a day (UTC), so that a report of a long time reads far fewer rows than those of its hours. The triggers on runs
 * add to all three tables.
 */
export const usageDays: Migration = [
  `create table usage_days (
  team_id text not null,
  day integer not null check (day % 86400000 = 0),
  model text not null,
  asked_model text not null,
  api_key_id text not null,
  runs integer not null,
  ${sums.map((sum) => `${sum} integer not null`).join(",\n  ")},
  primary key (team_id, day, model, asked_model, api_key_id)
) strict, without rowid`,
  `insert into usage_days
  select team_id, hour - hour % 86400000, model, asked_model, api_key_id, sum(runs),
    ${sums.map((sum) => `sum(${sum})`).join(", ")}
  from usage_hours group by 1, 2, 3, 4, 5`,
  `drop trigger runs_ended_are_rolled_up`,
  `drop trigger runs_are_rolled_up`,
  rollUp("runs_ended_are_rolled_up", "insert", ""),
  rollUp("runs_are_rolled_up", "update of state", "old.state = 'running' and "),
];

function rollUp(name: string, event: string, condition: string): string {
  return `create trigger ${name} after ${event} on runs
when ${condition}new.state not in ('running', 'interrupted') begin
  ${addition("usage_hours", 3_600_000)}
  ${addition("usage_days", 86_400_000)}
  insert into usage_months values (
    new.team_id, ${month}, new.model, coalesce(new.price_id, 0), new.image_ticks,
    new.prompt_tokens - new.cached_tokens, new.cached_tokens, new.completion_tokens, new.reasoning_tokens,
    new.images, new.cost_ticks, iif(new.reserved_ticks is null, 0, new.cost_ticks))
  on conflict do update set
    ${added(monthSums)};
end`;
}

function addition(table: string, unitMs: number): string {
  return `insert into ${table} values (
    new.team_id, new.start_time - new.start_time % ${unitMs}, new.model, coalesce(new.asked_model, new.model),
    new.api_key_id, 1, new.prompt_tokens, new.cached_tokens, new.image_tokens, new.completion_tokens,
    new.reasoning_tokens, new.cost_ticks, iif(new.reserved_ticks is null, 0, new.cost_ticks), new.images)
  on conflict do update set runs = runs + 1,
    ${added(sums)};`;
}

function added(columns: readonly string[]): string {
  return columns.map((column) => `${column} = ${column} + excluded.${column}`).join(",\n    ");
}
