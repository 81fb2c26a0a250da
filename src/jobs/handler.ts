/** What the queue asks of each kind of jobs: to prepare a job, and what is written of its outcome. */
import type { Principal } from "../accounts/principals/api-key.js";
import type { HearthError } from "../core/errors.js";
import type { TokenReservation } from "../core/limits.js";
import type { BodyPlace } from "../core/requests/body-budget.js";
import type { WorkClass } from "../core/slots.js";
import type { RunRecorder } from "../inference/run/run-record.js";
import type { RunContext } from "../inference/run/run-context.js";
import type { Write } from "../store/writes.js";
import type { Job, JobKind } from "./job.js";

/** The run of a job. */
export interface JobRun {
  abort(): void;
  /** Resolves when the run is over. Rejects only when its recorder was never asked what to write. */
  readonly ended: Promise<void>;
}

/** A job, ready to run. */
export interface PreparedJob {
  readonly principal: Principal;
  /** Starts the run; it has the recorder of the context. @throws HearthError why it cannot start. */
  start(context: RunContext): JobRun;
  readonly recorder: RunRecorder;
  /** Reserved by the limits that admitted its request. */
  readonly tokenReservation: TokenReservation;
  /** Called when the run is over, or will not start: its outcome is written, or the job was requeued. */
  ended(outcome: "written" | "requeued"): void;
}

/** How a job ends that has no run. */
export interface JobEnding {
  /** Written with the removal of the job. */
  readonly writes: readonly Write[];
  /** Called once they are written. */
  readonly written?: () => void;
}

/** What the queue does for one kind of jobs. */
export interface JobHandler {
  readonly kind: JobKind;
  readonly workClass: WorkClass;
  /**
   * @param signal aborts when the job is cancelled or the server closes; the job stays in the queue then.
   * @param place holds the bytes of the job's own body until its run has ended; the handler reserves more when it reads more.
   * @returns null when there is nothing left to do. @throws HearthError why the job cannot run. @throws the signal's reason.
   */
  prepare(job: Job, signal: AbortSignal, place: BodyPlace): Promise<PreparedJob | null>;
  /** Returns how a job ends that fails before its run starts. */
  failure(job: Job, error: HearthError): Promise<JobEnding>;
  /** Called when a job is no longer in flight. */
  ended?(job: Job): void;
}

/** What is read of a run. */
interface ReadRun {
  abort(): void;
  readonly events: AsyncIterable<unknown>;
  readonly finished: Promise<void>;
}

/** Returns a run of the generator as the run of a job. */
export function toJobRun(run: ReadRun): JobRun {
  return { abort: () => run.abort(), ended: readToEnd(run) };
}

/** Reads the events of a run to their end; its recorder has stored them. */
async function readToEnd(run: ReadRun): Promise<void> {
  try {
    for await (const event of run.events) void event;
  } catch {
    // The failure is stored already.
  }
  await run.finished;
}
