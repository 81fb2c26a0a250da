import type { Migration } from "../migration.js";

/**
 * Adds how members sign in to the console: passwords, links that can be used once, and sessions. A link without a member creates the
 * first owner of the server. Only hashes are stored.
 */
export const signIn: Migration = [
  `create table member_sign_ins (
  member_id text primary key not null references members (id),
  password text,
  api_key_id text
) strict, without rowid`,
  `create table sign_in_links (
  hash blob primary key not null check (length(hash) = 32),
  member_id text references members (id),
  expire_time integer not null
) strict, without rowid`,
  `create unique index sign_in_links_by_member on sign_in_links (coalesce(member_id, ''))`,
  `create table console_sessions (
  id text primary key not null,
  hash blob not null check (length(hash) = 32),
  member_id text not null references members (id),
  create_time integer not null,
  last_use_time integer not null,
  expire_time integer not null
) strict`,
  `create unique index console_sessions_by_hash on console_sessions (hash)`,
  `create index console_sessions_by_member on console_sessions (member_id, create_time, id)`,
  `create index console_sessions_by_expiry on console_sessions (expire_time)`,
];
