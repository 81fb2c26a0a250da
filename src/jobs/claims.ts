/**
 * Decides, for all queues together, which queued job starts next: the oldest of a queue's kind; but after a crash, first the jobs that
 * were in flight then, one at a time and nothing beside them. So a job that ends the process once more ends it alone, and only its
 * own attempts count. Those with fewest attempts are first: the job that ends the process again and again delays no other.
 *
 * Where servers share the database, what a server had in flight that has ended starts at another one beside that one's own jobs; what
 * was in flight at the end of two servers starts alone, as after a start.
 */
import type { Clock } from "../core/clock.js";
import type { Job, JobKind } from "./job.js";
import { endedServersMax, type JobStore } from "./store.js";

/** How long a lease lasts that is not renewed. */
export const leaseMs = 30_000;

/** A job that was in flight when a process died. */
interface InterruptedJob {
  readonly id: string;
  readonly kind: JobKind;
}

export class Claims {
  #loading: Promise<void> | null = null;
  readonly #kinds = new Set<JobKind>();
  /** The jobs to be retried one at a time. */
  #interrupted: readonly InterruptedJob[] = [];
  /** The jobs that are claimed or in flight; null: one that is being claimed. */
  readonly #inFlight = new Set<string | null>();
  readonly #changed: (() => void)[] = [];

  /** Creates the claims of all queues over one table; the queues call `load` together, before `next`. */
  constructor(
    private readonly jobs: JobStore,
    private readonly clock: Clock,
  ) {}

  /** Reads which jobs of the kinds for which this was called were in flight when the previous process died. */
  load(...kinds: readonly JobKind[]): Promise<void> {
    for (const kind of kinds) this.#kinds.add(kind);
    return (this.#loading ??= this.#find(1));
  }

  /**
   * Finds jobs that were in flight at the end of two servers since, or have so many attempts because their end could not be written; called
   * now and then where servers share the database.
   */
  async refresh(): Promise<void> {
    if (this.#interrupted.length > 0) return;
    await this.#find(endedServersMax);
    if (this.#interrupted.length > 0) this.#report();
  }

  /** Claims and leases the job of this kind that starts now; null when none may. */
  async next(kind: JobKind): Promise<Job | null> {
    for (;;) {
      const now = this.clock.now();
      const [first] = this.#interrupted;
      if (first === undefined) return this.#started(await this.jobs.claim(kind, now, now + leaseMs));
      if (first.kind !== kind || this.#inFlight.size > 0) return null;
      const job = await this.#retry(first.id, now);
      if (job !== null) return job;
      // Cancelled, or leased.
      this.#advance();
    }
  }

  /** Reports that a claimed job is no longer in flight. @param isRequeued whether it must start again. */
  ended(id: string, isRequeued: boolean): void {
    this.#inFlight.delete(id);
    if (this.#interrupted[0]?.id === id && !isRequeued) this.#advance();
    else if (this.#interrupted.length > 0 && this.#inFlight.size === 0) this.#report();
  }

  /** Calls `action` whenever jobs may start that could not before. */
  onChange(action: () => void): void {
    this.#changed.push(action);
  }

  async #find(attemptsMin: number): Promise<void> {
    const found = await this.jobs.attempted(attemptsMin, this.clock.now());
    this.#interrupted = found.filter(({ id, kind }) => this.#kinds.has(kind) && !this.#inFlight.has(id));
  }

  #started(job: Job | null): Job | null {
    if (job !== null) this.#inFlight.add(job.id);
    return job;
  }

  async #retry(id: string, now: number): Promise<Job | null> {
    this.#inFlight.add(null);
    try {
      return this.#started(await this.jobs.claimById(id, now, now + leaseMs));
    } finally {
      this.#inFlight.delete(null);
    }
  }

  #advance(): void {
    this.#interrupted = this.#interrupted.slice(1);
    this.#report();
  }

  #report(): void {
    for (const action of this.#changed) action();
  }
}
