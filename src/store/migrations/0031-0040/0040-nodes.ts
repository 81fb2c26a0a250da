import type { Migration } from "../migration.js";

/**
 * Adds the servers that share a database, and which of them a run, a job or a pull in flight belongs to. One server alone, as over SQLite, has
 * no row, and nothing in its database has a `node_id`. `storage_id` names the folder of the contents of files and images.
 */
export const nodes: Migration = [
  `create table nodes (
  id integer primary key not null,
  name text not null,
  storage_id text not null,
  start_time integer not null
) strict`,
  `alter table runs add column node_id integer`,
  `alter table jobs add column node_id integer`,
  `alter table model_pulls add column node_id integer`,
];
