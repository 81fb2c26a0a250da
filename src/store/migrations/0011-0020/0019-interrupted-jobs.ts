import type { Migration } from "../migration.js";

/** Adds an index of the jobs that were in flight when a process died: an attempt counts only until its job is done or requeued. */
export const interruptedJobs: Migration = [
  `create index jobs_attempted on jobs (attempts, create_time, id, kind) where attempts > 0`,
];
