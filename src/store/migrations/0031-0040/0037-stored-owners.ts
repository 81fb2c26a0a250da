import type { Migration } from "../migration.js";

const tables = ["deferred_completions", "responses", "chat_completions", "files", "batches"];

/** Adds who created the API key for which something is stored, and the indexes by which it is listed. */
export const storedOwners: Migration = [
  ...tables.map((table) => `alter table ${table} add column user_id text`),
  `update batches set user_id = (select user_id from api_keys where api_keys.id = batches.api_key_id)`,
  `create index deferred_completions_by_team on deferred_completions (team_id, create_time, id)`,
  `create index responses_by_team on responses (team_id, create_time, id)`,
];
