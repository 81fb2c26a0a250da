import type { Migration } from "../migration.js";

/**
 * Adds whether a team keeps what its requests read and write, and these texts, which are deleted sooner than runs. `run_id` is not a foreign
 * key: a run can be deleted first. Triggers add up the bytes of all texts, so that they are limited without reading them.
 */
export const requestBodies: Migration = [
  `alter table teams add column keeps_bodies integer not null default 0 check (keeps_bodies in (0, 1))`,
  `create table request_bodies (
  run_id text primary key not null,
  team_id text not null references teams (id),
  input text not null,
  output text not null,
  bytes integer not null check (bytes >= 0),
  is_cut integer not null check (is_cut in (0, 1)),
  create_time integer not null,
  expire_time integer not null
) strict`,
  `create index request_bodies_by_expiry on request_bodies (expire_time)`,
  `create index request_bodies_by_creation on request_bodies (create_time, run_id)`,
  `create index request_bodies_of_team on request_bodies (team_id)`,
  `create table request_bodies_total (
  id integer primary key check (id = 1),
  bytes integer not null check (bytes >= 0)
) strict`,
  `insert into request_bodies_total values (1, 0)`,
  `create trigger request_bodies_added after insert on request_bodies begin
  update request_bodies_total set bytes = bytes + new.bytes;
end`,
  `create trigger request_bodies_deleted after delete on request_bodies begin
  update request_bodies_total set bytes = bytes - old.bytes;
end`,
  `create trigger runs_deleted_with_bodies after delete on runs begin
  delete from request_bodies where run_id = old.id;
end`,
];
