import type { Migration } from "../migration.js";

/** Adds an index of failed runs, which are few, so that they are counted without reading the others. */
export const failedRuns: Migration = [
  `create index runs_failed on runs (start_time, team_id) where state = 'failed'`,
];
