import type { Migration } from "../migration.js";

/**
 * Adds the audit log. It has no foreign keys: it outlives the objects it describes. The third trigger rejects `insert or
 * replace`, which deletes without firing the second one.
 */
export const audit: Migration = [
  `create table audit_events (
  entry integer primary key not null,
  id text not null unique,
  time integer not null,
  actor text not null,
  user_id text not null,
  team_id text,
  act text not null,
  object_id text not null,
  description text not null,
  object_before text check (json_type(object_before) = 'object'),
  object_after text check (json_type(object_after) = 'object')
) strict`,
  `create index audit_events_by_time on audit_events (time, entry)`,
  `create index audit_events_by_team on audit_events (team_id, time, entry)`,
  `create trigger audit_events_unchanged before update on audit_events
begin
  select raise(abort, 'the audit log is append-only');
end`,
  `create trigger audit_events_undeleted before delete on audit_events
begin
  select raise(abort, 'the audit log is append-only');
end`,
  `create trigger audit_events_unreplaced before insert on audit_events
when exists (select 1 from audit_events where entry = new.entry or id = new.id)
begin
  select raise(abort, 'the audit log is append-only');
end`,
];
