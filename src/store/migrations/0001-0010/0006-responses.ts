import type { Migration } from "../migration.js";

/**
 * Adds stored responses, their items and their compressed event streams. `previous_id` is not a foreign key: a response may be
 * deleted while a later one continues it. `entry` orders items by age. Items have a team, so that an id is found without reading
 * items of other teams with the same id. Streams have a table of their own, so that updating a response does not rewrite its
 * stream.
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
