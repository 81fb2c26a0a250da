import type { Migration } from "./migration.js";

/**
 * Stored responses, their items and the compressed streams of those that keep one. `previous_id` is no foreign key: a response
 * may be deleted while a later one goes on from it. Of items, `entry` tells which is the newest, and their team is theirs too,
 * so that an id that other teams use as often as they like is found without looking at theirs. A stream is in a table of its
 * own, so that no change of its response writes it again.
 */
export const responses: Migration = [
  `create table responses (
  id text primary key not null,
  team_id text not null references teams (id),
  previous_id text,
  status text not null check (status in ('queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled')),
  background integer not null check (background in (0, 1)),
  streamed integer not null check (streamed in (0, 1)),
  create_time integer not null,
  expire_time integer not null,
  body text not null
) strict`,
  `create index responses_ended on responses (expire_time) where status not in ('queued', 'in_progress')`,
  `create table response_items (
  entry integer primary key not null,
  response_id text not null references responses (id) on delete cascade,
  team_id text not null,
  side text not null check (side in ('input', 'output')),
  position integer not null check (position >= 0),
  id text not null,
  body text not null,
  unique (response_id, side, position)
) strict`,
  `create index response_items_by_id on response_items (team_id, id)`,
  `create table response_events (
  response_id text primary key not null references responses (id) on delete cascade,
  events blob not null
) strict`,
];
