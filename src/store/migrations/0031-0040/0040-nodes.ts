import type { Migration } from "../migration.js";

/**
 * Adds the servers that share a database, and which of them a run or a job in flight belongs to. One server alone, as over SQLite, has
 * no row, and its runs and jobs have no `node_id`.
 */
export const nodes: Migration = [
  `create table nodes (
  id integer primary key not null,
  start_time integer not null
) strict`,
  `alter table runs add column node_id integer`,
  `alter table jobs add column node_id integer`,
];
