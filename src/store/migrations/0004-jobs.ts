import type { Migration } from "./migration.js";

/**
 * The queue of work that nobody waits for. `lease_until` is null while nobody holds the job; `body` is last because SQLite
 * reads a row from its beginning, and it is the long one.
 */
export const jobs: Migration = [
  `create table jobs (
  id text primary key not null,
  kind text not null check (kind in ('deferred-completion', 'background-response')),
  team_id text not null references teams (id),
  api_key_id text not null,
  endpoint text not null,
  attempts integer not null check (attempts >= 0),
  lease_until integer,
  create_time integer not null,
  body text not null
) strict`,
  `create index jobs_by_age on jobs (kind, create_time, id, lease_until)`,
  `create index jobs_held on jobs (kind, lease_until) where lease_until is not null`,
];
