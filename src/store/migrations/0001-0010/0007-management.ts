import type { Migration } from "../migration.js";

/** Adds management keys, and limits and rotation of API keys. The index of a team's keys has the order of their pages. */
export const management: Migration = [
  `alter table api_keys add column qps integer check (qps > 0)`,
  `alter table api_keys add column qpm integer check (qpm > 0)`,
  `alter table api_keys add column tpm integer check (tpm > 0)`,
  `alter table api_keys add column previous_hash blob check (length(previous_hash) = 32)`,
  `alter table api_keys add column previous_expire_time integer
  check ((previous_expire_time is null) = (previous_hash is null))`,
  `create unique index api_keys_by_previous_hash on api_keys (previous_hash) where previous_hash is not null`,
  `drop index api_keys_by_team`,
  `create index api_keys_by_team on api_keys (team_id, create_time, id)`,
  `create table management_keys (
  id text primary key not null,
  team_id text references teams (id),
  user_id text not null,
  name text not null,
  hash blob not null unique check (length(hash) = 32),
  redacted text not null,
  acls text not null check (json_type(acls) = 'array'),
  expire_time integer,
  create_time integer not null,
  modify_time integer not null
) strict`,
];
