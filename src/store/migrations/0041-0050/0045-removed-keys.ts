import type { Migration } from "../migration.js";

/** What the audit log and the runs have of keys that were deleted before: the team, the owner and the name. */
const known = (nameOf: (object: string) => string): readonly string[] => [
  `insert into removed_keys (id, team_id, user_id, name)
  select deleted.object_id, min(deleted.team_id), coalesce(max(run.user_id), max(summed.user_id), max(made.user_id), ''),
    min(${nameOf("deleted.object_before")})
  from audit_events as deleted
    left join (select api_key_id, max(user_id) as user_id from runs group by api_key_id) as run
      on run.api_key_id = deleted.object_id
    left join (select api_key_id, nullif(max(user_id), '') as user_id from deleted_runs group by api_key_id) as summed
      on summed.api_key_id = deleted.object_id
    left join (select object_id, max(user_id) as user_id from audit_events where act = 'CreateApiKey' group by object_id) as made
      on made.object_id = deleted.object_id
  where deleted.act = 'DeleteApiKey' and deleted.team_id in (select id from teams)
    and deleted.object_id not in (select id from api_keys)
  group by deleted.object_id`,
  `insert into removed_keys (id, team_id, user_id, name)
  select used.api_key_id, used.team_id, coalesce(run.user_id, summed.user_id, ''), null
  from (select api_key_id, min(team_id) as team_id from usage_hours group by api_key_id) as used
    left join (select api_key_id, max(user_id) as user_id from runs group by api_key_id) as run
      on run.api_key_id = used.api_key_id
    left join (select api_key_id, nullif(max(user_id), '') as user_id from deleted_runs group by api_key_id) as summed
      on summed.api_key_id = used.api_key_id
  where used.team_id in (select id from teams)
    and used.api_key_id not in (select id from api_keys union all select id from removed_keys)`,
];

const table: readonly string[] = [
  `create table removed_keys (
  id text primary key not null,
  team_id text not null references teams (id),
  user_id text not null,
  name text
) strict, without rowid`,
  `create index removed_keys_by_owner on removed_keys (user_id, team_id)`,
];

/**
 * Keeps the team, the owner and the name of deleted keys, for usage and the log of requests. The owner of a key never changes,
 * so that all usage of a key belongs to one member.
 */
export const removedKeys: Migration = [
  ...table,
  ...known((object) => `json_extract(${object}, '$.name')`),
  `create trigger api_keys_stay_known after delete on api_keys begin
  insert into removed_keys (id, team_id, user_id, name) values (old.id, old.team_id, old.user_id, old.name)
    on conflict do nothing;
end`,
  `create trigger api_keys_keep_their_owner before update of team_id, user_id on api_keys
when new.team_id <> old.team_id or new.user_id <> old.user_id begin
  select raise(abort, 'the team and the owner of an API key do not change');
end`,
];

/** The parts of it that PostgreSQL has, too. */
export const removedKeysParts = { table, known };
