import type { Migration } from "../migration.js";

/** Adds the table that is written to learn whether the database can be written; it has one row at most. */
export const writeProbes: Migration = [
  `create table write_probes (
  id integer primary key,
  content blob not null
) strict`,
];
