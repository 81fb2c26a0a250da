import type { Migration } from "../migration.js";

/** An interrupted run costs nothing, and counts for nothing. */
const unlessInterrupted = (...columns: readonly string[]): string =>
  columns.map((name) => `iif(old.state = 'interrupted', 0, old.${name})`).join(", ");

/**
 * Adds what the log of requests shows of a run: when its request was accepted, whether it was streamed, when the first text came, and
 * how it ended. Runs can be deleted now: a trigger deletes what clients said of a deleted run, and adds it to `deleted_runs`, so that the
 * sums of runs can still be verified. `price_id` 0 stands for runs older than the price book; `charged_runs` and `released_runs` count
 * those that have a transaction of this kind.
 */
export const requestLog: Migration = [
  `alter table runs add column create_time integer`,
  `alter table runs add column streamed integer check (streamed in (0, 1))`,
  `alter table runs add column first_token_ms integer check (first_token_ms >= 0)`,
  `alter table runs add column finish_reason text`,
  `alter table runs add column error_kind text`,
  `update runs set create_time = start_time`,
  `drop index runs_by_time`,
  `create index runs_by_creation on runs (create_time, id)`,
  `create index runs_of_team on runs (team_id, create_time, id)`,
  `create index runs_of_key on runs (api_key_id, create_time, id)`,
  `create table deleted_runs (
  team_id text not null,
  hour integer not null check (hour % 3600000 = 0),
  model text not null,
  asked_model text not null,
  api_key_id text not null,
  user_id text not null,
  price_id integer not null,
  image_ticks integer not null,
  runs integer not null,
  charged_runs integer not null,
  released_runs integer not null,
  prompt_tokens integer not null,
  cached_tokens integer not null,
  image_tokens integer not null,
  completion_tokens integer not null,
  reasoning_tokens integer not null,
  images integer not null,
  cost_ticks integer not null,
  credit_ticks integer not null,
  primary key (team_id, hour, model, asked_model, api_key_id, user_id, price_id, image_ticks)
) strict, without rowid`,
  `create trigger runs_deleted_are_summed after delete on runs when old.state <> 'running' begin
  delete from run_labels where run_id = old.id;
  insert into deleted_runs values (
    old.team_id, old.start_time - old.start_time % 3600000, old.model, coalesce(old.asked_model, old.model),
    old.api_key_id, coalesce(old.user_id, ''), coalesce(old.price_id, 0), old.image_ticks,
    old.state <> 'interrupted', old.price_id is not null and old.cost_ticks > 0,
    old.price_id is not null and old.cost_ticks = 0 and coalesce(old.reserved_ticks, 0) > 0,
    ${unlessInterrupted(
      "prompt_tokens",
      "cached_tokens",
      "image_tokens",
      "completion_tokens",
      "reasoning_tokens",
      "images",
      "cost_ticks",
    )},
    iif(old.reserved_ticks is null, 0, old.cost_ticks))
  on conflict do update set runs = runs + excluded.runs,
    charged_runs = charged_runs + excluded.charged_runs,
    released_runs = released_runs + excluded.released_runs,
    prompt_tokens = prompt_tokens + excluded.prompt_tokens,
    cached_tokens = cached_tokens + excluded.cached_tokens,
    image_tokens = image_tokens + excluded.image_tokens,
    completion_tokens = completion_tokens + excluded.completion_tokens,
    reasoning_tokens = reasoning_tokens + excluded.reasoning_tokens,
    images = images + excluded.images,
    cost_ticks = cost_ticks + excluded.cost_ticks,
    credit_ticks = credit_ticks + excluded.credit_ticks;
end`,
];
