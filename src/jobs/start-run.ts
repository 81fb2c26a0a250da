import type { RunEnd } from "../inference/run/run-record.js";
import type { Write } from "../store/writes.js";
import type { JobHandler, JobRun, PreparedJob } from "./handler.js";
import type { Job } from "./job.js";
import { withTags } from "./tags.js";

interface StartedJob {
  readonly job: Job;
  /**
   * Called once, when the run has ended. @param hasEvents whether it has produced something.
   * @returns what is written with its end; null when the job starts again.
   */
  readonly writes: (end: RunEnd, hasEvents: boolean) => readonly Write[] | null;
}

/** Starts the run of a prepared job. @throws HearthError why it cannot start. */
export function startRun(
  { workClass }: JobHandler,
  prepared: PreparedJob,
  { job, writes }: StartedJob,
): JobRun {
  const { principal, recorder, tokenReservation } = prepared;
  let hasEvents = false;
  return prepared.start({
    principal: withTags(principal, job.tags),
    requestId: job.id,
    endpoint: job.endpoint,
    workClass,
    tokenReservation,
    recorder: {
      add(event) {
        hasEvents = true;
        recorder.add(event);
      },
      writes: (end) => writes(end, hasEvents),
    },
  });
}
