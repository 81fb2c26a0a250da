import type { JobRun } from "./handler.js";
import type { Job } from "./job.js";

/** A job that this server has claimed. */
export interface InFlightJob {
  readonly job: Job;
  run: JobRun | null;
  /** Ends its preparation. */
  readonly preparing: AbortController;
  cancelled: boolean;
  /** When it may start again, by the limits and budgets of its key and team; null = at once. */
  notBefore: number | null;
  /** Resolves, never rejects, when the job is no longer in flight: whether it is in the queue again. */
  done: Promise<boolean>;
}

export function createInFlightJob(job: Job): InFlightJob {
  return {
    job,
    run: null,
    preparing: new AbortController(),
    cancelled: false,
    notBefore: null,
    done: Promise.resolve(false),
  };
}
