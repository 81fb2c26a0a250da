import type { Migration } from "../../migrations/migration.js";
import { sumsOfMonth, sumsOfTime } from "./usage-triggers.js";

/** Adds the usage of a day; SQLite has the same. */
export const usageDaysOfPostgres: Migration = [
  `create table usage_days (
  team_id text collate "C" not null,
  day bigint not null check (day % 86400000 = 0),
  model text collate "C" not null,
  asked_model text collate "C" not null,
  api_key_id text collate "C" not null,
  runs bigint not null,
  prompt_tokens bigint not null,
  cached_tokens bigint not null,
  image_tokens bigint not null,
  completion_tokens bigint not null,
  reasoning_tokens bigint not null,
  cost_ticks bigint not null,
  credit_ticks bigint not null,
  images bigint not null,
  primary key (team_id, day, model, asked_model, api_key_id)
)`,
  `insert into usage_days
  select team_id, hour - hour % 86400000, model, asked_model, api_key_id, sum(runs), sum(prompt_tokens), sum(cached_tokens),
    sum(image_tokens), sum(completion_tokens), sum(reasoning_tokens), sum(cost_ticks), sum(credit_ticks), sum(images)
  from usage_hours group by 1, 2, 3, 4, 5`,
  `create or replace function runs_roll_up() returns trigger language plpgsql as $$
declare
  credit bigint := case when new.reserved_ticks is null then 0 else new.cost_ticks end;
begin
  ${sumsOfTime("usage_hours", "hour", 3_600_000)}
  ${sumsOfTime("usage_days", "day", 86_400_000)}
  ${sumsOfMonth}
  return null;
end $$`,
];
