import type { Migration } from "../migration.js";

/** Adds teams and API keys. Only the SHA-256 of a secret is stored. */
export const accounts: Migration = [
  `create table teams (
  id text primary key not null,
  name text not null,
  billing text not null check (billing in ('prepaid', 'unmetered')),
  blocked integer not null check (blocked in (0, 1)),
  create_time integer not null
) strict`,
  `create table api_keys (
  id text primary key not null,
  team_id text not null references teams (id),
  user_id text not null,
  name text not null,
  hash blob not null unique check (length(hash) = 32),
  redacted text not null,
  acls text not null check (json_type(acls) = 'array'),
  disabled integer not null check (disabled in (0, 1)),
  blocked integer not null check (blocked in (0, 1)),
  expire_time integer,
  create_time integer not null,
  modify_time integer not null,
  modified_by text not null
) strict`,
  `create index api_keys_by_team on api_keys (team_id, create_time)`,
];
