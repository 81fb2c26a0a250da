/** What the queue of one handler offers, and what it needs. */
import type { Broadcast } from "../core/broadcast.js";
import type { Clock } from "../core/clock.js";
import type { BodyBudget } from "../core/requests/body-budget.js";
import type { Tracing } from "../core/telemetry/tracing.js";
import type { Write, Writes } from "../store/writes.js";
import type { Claims } from "./claims.js";
import type { JobEnding, JobHandler } from "./handler.js";
import type { Job } from "./job.js";
import type { JobStore } from "./store.js";

/** A job as it is enqueued. */
export type NewJob = Omit<Job, "kind" | "attempts">;

export interface JobQueue {
  /**
   * Enqueues a job; it is on disk once this resolves.
   * @param together executed in the same transaction.
   * @throws HearthError `overloaded` when the queue is full.
   */
  enqueue(job: NewJob, together: readonly Write[]): Promise<void>;
  /**
   * Cancels a job: aborts the run of one in flight and waits for its outcome; removes any other.
   * @param notStarted returns how a job ends that is not in flight. @returns whether it was in flight.
   */
  cancel(id: string, notStarted: () => JobEnding): Promise<boolean>;
  /** Looks for jobs that other transactions have inserted. */
  wake(): void;
  /** Starts to process jobs. Jobs that were in flight when the previous process died start again. */
  start(): Promise<void>;
  /** Aborts the runs in flight and requeues their jobs. */
  close(): Promise<void>;
}

export interface JobQueueDeps {
  readonly handler: JobHandler;
  readonly jobs: Omit<JobStore, "attempted" | "claim" | "claimById">;
  /** Shared by all queues. */
  readonly claims: Claims;
  readonly writes: Writes;
  readonly broadcast: Broadcast;
  readonly tracing: Tracing;
  readonly clock: Clock;
  /** A job in flight holds the bytes of its request. */
  readonly bodyBudget: BodyBudget;
  /** Jobs that may be in the queue. */
  readonly queuedMax: number;
  /** Jobs that may be in flight at a time. */
  readonly activeMax: number;
  /** Called with unexpected errors; the job stays in the queue. */
  readonly onError: (jobId: string | null, thrown: unknown) => void;
}
