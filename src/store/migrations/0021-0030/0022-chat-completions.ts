import type { Migration } from "../migration.js";

/**
 * Adds stored chat completions. `entry` orders them by age. `metadata` is a JSON object, `messages` the JSON of the request's messages,
 * `body` that of the answer without its metadata, which can be changed. `metadata` is in
 * the indexes, so that completions are filtered by it without reading them.
 */
export const chatCompletions: Migration = [
  `create table chat_completions (
  entry integer primary key not null,
  id text not null unique,
  team_id text not null references teams (id),
  model text not null,
  create_time integer not null,
  expire_time integer not null,
  metadata text not null,
  messages text not null,
  body text not null
) strict`,
  `create index chat_completions_by_team on chat_completions (team_id, entry, metadata)`,
  `create index chat_completions_by_model on chat_completions (team_id, model, entry, metadata)`,
  `create index chat_completions_by_expiry on chat_completions (expire_time)`,
];
