import { removedKeysParts } from "../../migrations/0041-0050/0045-removed-keys.js";
import type { Migration } from "../../migrations/migration.js";
import { translated } from "./translate.js";

/** Keeps the team, the owner and the name of deleted keys; SQLite has the same. */
export const removedKeysOfPostgres: Migration = [
  ...translated(removedKeysParts.table),
  ...translated(removedKeysParts.known((object) => `cast(${object} as json) ->> 'name'`)),
  `create function api_keys_stay_known() returns trigger language plpgsql as $$
begin
  insert into removed_keys (id, team_id, user_id, name) values (old.id, old.team_id, old.user_id, old.name)
    on conflict do nothing;
  return null;
end $$`,
  `create trigger api_keys_stay_known after delete on api_keys for each row execute function api_keys_stay_known()`,
  `create function api_keys_keep_owner() returns trigger language plpgsql as $$
begin
  raise exception 'the team and the owner of an API key do not change';
end $$`,
  `create trigger api_keys_keep_their_owner before update of team_id, user_id on api_keys for each row
  when (new.team_id <> old.team_id or new.user_id <> old.user_id) execute function api_keys_keep_owner()`,
];
