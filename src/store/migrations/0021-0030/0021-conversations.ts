import type { Migration } from "../migration.js";

/**
 * Adds conversations and their items, which are stored until they are deleted. `entry` orders the items by age. Items are copies: the
 * items of a response stay with the response when its conversation is deleted. `conversation_id` of a response is not a foreign key,
 * for the same reason. `bytes` is the size of `body`; it is in an index, so that a conversation is measured without reading it.
 */
export const conversations: Migration = [
  `create table conversations (
  id text primary key not null,
  team_id text not null references teams (id),
  create_time integer not null,
  metadata text not null
) strict`,
  `create index conversations_by_team on conversations (team_id)`,
  `create table conversation_items (
  entry integer primary key not null,
  conversation_id text not null references conversations (id) on delete cascade,
  id text not null,
  bytes integer not null check (bytes >= 0),
  body text not null,
  unique (conversation_id, id)
) strict`,
  `create index conversation_items_by_age on conversation_items (conversation_id, entry, bytes)`,
  `alter table responses add column conversation_id text`,
  `create index responses_of_conversations on responses (conversation_id)
where conversation_id is not null and status in ('queued', 'in_progress')`,
];
