import type { Migration } from "../migration.js";

/**
 * Adds what clients say of runs: a JSON object with the user and the metadata of the request. It has a table of its own, because it is
 * deleted sooner than the run. `run_id` is not a foreign key.
 */
export const runLabels: Migration = [
  `create table run_labels (
  run_id text primary key not null,
  expire_time integer not null,
  labels text not null
) strict, without rowid`,
  `create index run_labels_by_expiry on run_labels (expire_time)`,
];
