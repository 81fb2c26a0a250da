import type { Migration } from "../migration.js";

/** Adds one row for every run. `api_key_id` is not a foreign key: the usage of a key outlives the key. */
export const runs: Migration = [
  `create table runs (
  id text primary key not null,
  request_id text not null,
  team_id text not null references teams (id),
  api_key_id text not null,
  model text not null,
  endpoint text not null,
  state text not null check (state in ('running', 'completed', 'aborted', 'failed', 'interrupted')),
  prompt_tokens integer not null check (prompt_tokens >= 0),
  cached_tokens integer not null check (cached_tokens between 0 and prompt_tokens),
  image_tokens integer not null check (image_tokens between 0 and prompt_tokens),
  completion_tokens integer not null check (completion_tokens >= 0),
  reasoning_tokens integer not null check (reasoning_tokens >= 0),
  cost_ticks integer not null check (cost_ticks >= 0),
  start_time integer not null,
  end_time integer,
  check ((state = 'running') = (end_time is null))
) strict`,
  `create index runs_by_time on runs (start_time)`,
  `create index runs_by_team on runs (team_id, start_time)`,
  `create index runs_running on runs (state) where state = 'running'`,
];
