/**
 * The queue of background work: it is on disk, and a worker takes jobs from it. The queue owns when a job starts, how long it is
 * leased, when it is requeued and when it is given up. What a job requests, and what is stored of its outcome, is its handler's.
 *
 * States of a job: queued -> in flight -> done, its row removed in the transaction that settles its run; queued again when the server
 * is too busy or closes; failed when the process died too often while it was in flight (claims.ts).
 */
import type { Broadcast } from "../core/broadcast.js";
import type { Clock } from "../core/clock.js";
import { toHearthError, type HearthError } from "../core/errors.js";
import type { BodyBudget } from "../core/requests/body-budget.js";
import type { Tracing } from "../core/telemetry/tracing.js";
import { noUsage } from "../core/usage.js";
import type { Write, Writes } from "../store/writes.js";
import { leaseMs, type Claims } from "./claims.js";
import type { RunEnd } from "../inference/run/run-record.js";
import type { JobEnding, PreparedJob, JobHandler, JobRun } from "./handler.js";
import { givenUp, findJobPauseMs, queueFull, findJobWaitMs } from "./job-errors.js";
import type { Job } from "./job.js";
import { createOtherWorkers, type OtherWorkers } from "./other-workers.js";
import { startRun } from "./start-run.js";
import type { JobStore } from "./store.js";

/** A job as it is enqueued. */
type NewJob = Omit<Job, "kind" | "attempts">;

interface JobQueueDeps {
  readonly handler: JobHandler;
  readonly jobs: JobStore;
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

/** Times that a job may start: one that was in flight when the process died so often is given up. */
const attemptsMax = 3;

export class JobQueue {
  readonly #deps: JobQueueDeps;
  readonly #inFlight = new Map<string, InFlightJob>();
  #claiming: Promise<void> | null = null;
  #claimAgain = false;
  #isPaused = false;
  #isRunning = false;
  #lastEnqueue: Promise<void> = Promise.resolve();
  #stopHeartbeat = (): void => undefined;
  #stopPause = (): void => undefined;
  readonly #others: OtherWorkers;

  /** Builds the queue of one handler; no job starts before `start`. */
  constructor(deps: JobQueueDeps) {
    this.#deps = deps;
    deps.claims.onChange(() => this.#claim());
    this.#others = createOtherWorkers(deps.handler.kind, deps, {
      cancel: (id) => this.#abort(id) !== null,
      wake: () => this.wake(),
    });
  }

  /**
   * Enqueues a job; it is on disk once this resolves.
   * @param together executed in the same transaction.
   * @throws HearthError `overloaded` when the queue is full.
   */
  enqueue(job: NewJob, together: readonly Write[]): Promise<void> {
    // One after the other: concurrent calls would all find the last place free.
    const enqueued = this.#lastEnqueue.then(() => this.#insert(job, together));
    this.#lastEnqueue = enqueued.catch(() => undefined);
    return enqueued;
  }

  async #insert(job: NewJob, together: readonly Write[]): Promise<void> {
    const { jobs, writes, handler, queuedMax } = this.#deps;
    if ((await jobs.count(handler.kind)) >= queuedMax) throw queueFull();
    await writes.commit([...together, jobs.insertion({ ...job, kind: handler.kind, attempts: 0 })]);
    this.#others.enqueued();
    this.#claim();
  }

  /**
   * Cancels a job: aborts the run of one in flight and waits for its outcome; removes any other.
   * @param notStarted returns how a job ends that is not in flight. @returns whether it was in flight.
   */
  async cancel(id: string, notStarted: () => JobEnding): Promise<boolean> {
    if (!this.#inFlight.has(id) && (await this.#others.cancel(id))) return true;
    // A job that is being claimed is not in the map yet.
    while (this.#claiming !== null) await this.#claiming;
    const inFlight = this.#abort(id);
    if (inFlight !== null) return (await inFlight.done) ? this.cancel(id, notStarted) : true;
    await this.#withoutClaims(() => this.#end(id, notStarted()));
    return false;
  }

  /** Aborts the run of a job that is in flight; null when it is not. */
  #abort(id: string): InFlightJob | null {
    const inFlight = this.#inFlight.get(id);
    if (inFlight === undefined) return null;
    inFlight.cancelled = true;
    inFlight.preparing.abort(new Error("the job was cancelled"));
    inFlight.run?.abort();
    return inFlight;
  }

  /** Does it while no job is claimed: the database may take a job that is being removed for one to start. */
  async #withoutClaims(action: () => Promise<void>): Promise<void> {
    const acting = action();
    this.#claiming = acting
      .catch(() => undefined)
      .finally(() => {
        this.#claiming = null;
        if (this.#claimAgain) this.#claim();
      });
    await acting;
  }

  async #end(id: string, { writes, written }: JobEnding): Promise<void> {
    await this.#deps.writes.commit([this.#deps.jobs.removal(id), ...writes]);
    written?.();
  }

  /** Looks for jobs that other transactions have inserted. */
  wake(): void {
    if (this.#isRunning) this.#claim();
  }

  /** Starts to process jobs. Jobs that were in flight when the previous process died start again. */
  async start(): Promise<void> {
    await this.#deps.claims.load(this.#deps.handler.kind);
    await this.#deps.jobs.releaseAll(this.#deps.handler.kind);
    this.#isRunning = true;
    this.#heartbeat();
  }

  /** Aborts the runs in flight and requeues their jobs. */
  async close(): Promise<void> {
    this.#isRunning = false;
    this.#stopHeartbeat();
    this.#stopPause();
    await this.#claiming;
    const inFlight = [...this.#inFlight.values()];
    for (const { run, preparing } of inFlight) {
      preparing.abort(new Error("the server closes"));
      run?.abort();
    }
    await Promise.all(inFlight.map(({ done }) => done));
  }

  /** Renews the leases, and looks for jobs whose lease has expired, at a third of a lease's time. */
  #heartbeat(): void {
    if (!this.#isRunning) return;
    const { broadcast, claims, clock, onError } = this.#deps;
    this.#claim();
    if (broadcast.reachesOthers) claims.refresh().catch((thrown: unknown) => onError(null, thrown));
    this.#stopHeartbeat = clock.after(leaseMs / 3, () => this.#heartbeat());
  }

  #claim(): void {
    this.#claimAgain = true;
    this.#claiming ??= this.#claimJobs()
      .catch((thrown: unknown) => this.#deps.onError(null, thrown))
      .finally(() => {
        this.#claiming = null;
        // Requested after the last query.
        if (this.#claimAgain) this.#claim();
      });
  }

  async #claimJobs(): Promise<void> {
    const { claims, handler, activeMax, tracing } = this.#deps;
    while (this.#claimAgain) {
      this.#claimAgain = false;
      // First: after the machine slept, the leases of the jobs in flight have expired, and they would be claimed.
      await this.#renew();
      while (this.#isRunning && this.#inFlight.size < activeMax && !this.#isPaused) {
        const job = await claims.next(handler.kind);
        if (job === null) break;
        if (this.#inFlight.has(job.id)) continue;
        const inFlight = createInFlightJob(job);
        this.#inFlight.set(job.id, inFlight);
        // The request that woke the queue is not the one that the job is for.
        inFlight.done = tracing.detached(() => this.#process(inFlight));
      }
    }
  }

  async #renew(): Promise<void> {
    const { jobs, clock } = this.#deps;
    if (this.#inFlight.size > 0) await jobs.renew([...this.#inFlight.keys()], clock.now() + leaseMs);
  }

  /** Never rejects. @returns whether the job is in the queue again. */
  async #process(inFlight: InFlightJob): Promise<boolean> {
    const { job } = inFlight;
    let isRequeued = true;
    try {
      isRequeued = await this.#attempt(inFlight);
      if (isRequeued) await this.#requeue(inFlight);
      return isRequeued;
    } catch (thrown) {
      this.#deps.onError(job.id, thrown);
      return true;
    } finally {
      this.#inFlight.delete(job.id);
      this.#deps.claims.ended(job.id, isRequeued);
      this.#deps.handler.ended?.(job);
      // In a later turn of the event loop: many jobs with nothing to do would otherwise block it.
      setImmediate(() => this.#claim());
    }
  }

  async #requeue({ job, notBefore }: InFlightJob): Promise<void> {
    const { jobs, clock } = this.#deps;
    if (notBefore === null) return jobs.release(job.id);
    await jobs.postpone(job.id, notBefore);
    clock.after(notBefore - clock.now(), () => this.wake());
  }

  /** Does the job. @returns whether it must start again. */
  async #attempt(inFlight: InFlightJob): Promise<boolean> {
    const { handler, jobs, writes, bodyBudget } = this.#deps;
    const { job, preparing } = inFlight;
    const { signal } = preparing;
    const place = bodyBudget.open();
    signal.addEventListener("abort", () => place.release(), { once: true });
    try {
      if (job.attempts > attemptsMax) throw givenUp(attemptsMax);
      await place.reserve(job.body.length);
      const prepared = await handler.prepare(job, signal, place);
      if (prepared !== null) return await this.#run(inFlight, prepared);
      if (!this.#isRunning) return true;
      await writes.commit([jobs.removal(job.id)]);
      return false;
    } catch (thrown) {
      // Cancelled before its run has started, or the server closes: what aborts it also ends the job, or leaves it in the queue.
      if (signal.aborted && inFlight.run === null) return true;
      const error = toHearthError(thrown);
      if (this.#startsAgain(inFlight, error)) return true;
      if (error.kind === "internal") this.#deps.onError(job.id, error.cause ?? error);
      await this.#end(job.id, await handler.failure(job, error));
      return false;
    } finally {
      place.release();
    }
  }

  async #run(inFlight: InFlightJob, prepared: PreparedJob): Promise<boolean> {
    const { jobs, handler } = this.#deps;
    const { job, preparing } = inFlight;
    let isRequeued = true;
    const startsAgain = ({ failure, state }: RunEnd, hasEvents: boolean): boolean =>
      failure === null
        ? state === "aborted" && !inFlight.cancelled
        : this.#startsAgain(inFlight, failure, hasEvents);
    try {
      if (preparing.signal.aborted) prepared.tokenReservation.reconcile(noUsage);
      preparing.signal.throwIfAborted();
      const run = startRun(handler, prepared, {
        job,
        writes(end, hasEvents) {
          isRequeued = startsAgain(end, hasEvents);
          return isRequeued ? null : [...(prepared.recorder.writes(end) ?? []), jobs.end(job.id)];
        },
      });
      inFlight.run = run;
      await run.ended;
    } catch (thrown) {
      prepared.ended("requeued");
      throw thrown;
    }
    // When its outcome could not be written, its row is still there: it starts again when its lease expires.
    const left = await jobs.find(job.id).catch(() => job);
    prepared.ended(left === null ? "written" : "requeued");
    return isRequeued;
  }

  /**
   * Returns whether a job that ended with this error starts again, and sets when.
   * @param hasEvents whether its run has produced something: limits and budgets no longer delay it then.
   */
  #startsAgain(inFlight: InFlightJob, error: HearthError, hasEvents = false): boolean {
    if (this.#pauseWhenBusy(error)) return true;
    const waitMs = hasEvents ? null : findJobWaitMs(error);
    if (waitMs === null) return false;
    inFlight.notBefore = this.#deps.clock.now() + waitMs;
    return true;
  }

  /** Returns whether the error means that the server is too busy; if so, no job starts for a while. */
  #pauseWhenBusy(error: HearthError): boolean {
    const pauseMs = findJobPauseMs(error);
    if (pauseMs === null) return false;
    this.#stopPause();
    this.#isPaused = true;
    this.#stopPause = this.#deps.clock.after(pauseMs, () => {
      this.#isPaused = false;
      this.#claim();
    });
    return true;
  }
}

/** A job that this server has claimed. */
interface InFlightJob {
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

function createInFlightJob(job: Job): InFlightJob {
  return {
    job,
    run: null,
    preparing: new AbortController(),
    cancelled: false,
    notBefore: null,
    done: Promise.resolve(false),
  };
}
