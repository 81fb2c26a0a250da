import type { Migration } from "../migration.js";

/**
 * Adds the job queue. `lease_until` is null while no worker holds the job. `body` is the last column because it is long and
 * SQLite reads rows from the start.
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
