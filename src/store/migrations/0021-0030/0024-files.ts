import type { Migration } from "../migration.js";

/** Adds the files that teams upload and that batches write; their contents are files next to the database, named by the id. */
export const files: Migration = [
  `create table files (
  id text primary key not null,
  team_id text not null references teams (id),
  purpose text not null,
  filename text not null,
  mime_type text not null,
  bytes integer not null check (bytes >= 0),
  create_time integer not null,
  expire_time integer
) strict`,
  `create index files_by_team on files (team_id, create_time, id)`,
  `create index files_by_expiry on files (expire_time) where expire_time is not null`,
];
