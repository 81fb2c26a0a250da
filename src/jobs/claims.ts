/**
 * Decides, for all queues together, which queued job starts next: the oldest of a queue's kind; but after a crash, first the jobs that
 * were in flight then, one at a time and nothing beside them. So a job that ends the process once more ends it alone, and only its
 * own attempts count. Those with fewest attempts are first: the job that ends the process again and again delays no other.
 */
import type { Clock } from "../core/clock.js";
import type { Job, JobKind } from "./job.js";
import type { JobStore } from "./store.js";

/** How long a lease lasts that is not renewed. */
export const leaseMs = 30_000;

export interface Claims {
  /** Reads which jobs of the kinds for which this was called were in flight when the previous process died. */
  load(...kinds: readonly JobKind[]): Promise<void>;
  /** Claims and leases the job of this kind that starts now; null when none may. */
  next(kind: JobKind): Promise<Job | null>;
  /** Reports that a claimed job is no longer in flight. @param isRequeued whether it must start again. */
  ended(id: string, isRequeued: boolean): void;
  /** Calls `action` whenever jobs may start that could not before. */
  onChange(action: () => void): void;
}

/** Creates the claims of all queues over one table; the queues call `load` together, before `next`. */
export function createClaims(jobs: ClaimedJobs, clock: Clock): Claims {
  return new JobClaims(jobs, clock);
}

type ClaimedJobs = Pick<JobStore, "attempted" | "claim" | "claimById">;

class JobClaims implements Claims {
  #loading: Promise<void> | null = null;
  readonly #kinds = new Set<JobKind>();
  /** The jobs to be retried one at a time. */
  #interrupted: readonly Pick<Job, "id" | "kind">[] = [];
  /** Whether the first of them is in flight. */
  #isRetrying = false;
  readonly #changed: (() => void)[] = [];

  constructor(
    private readonly jobs: ClaimedJobs,
    private readonly clock: Clock,
  ) {}

  load(...kinds: readonly JobKind[]): Promise<void> {
    for (const kind of kinds) this.#kinds.add(kind);
    return (this.#loading ??= this.jobs.attempted().then((found) => {
      this.#interrupted = found.filter(({ kind }) => this.#kinds.has(kind));
    }));
  }

  async next(kind: JobKind): Promise<Job | null> {
    for (;;) {
      const now = this.clock.now();
      const [first] = this.#interrupted;
      if (first === undefined) return this.jobs.claim(kind, now, now + leaseMs);
      if (first.kind !== kind || this.#isRetrying) return null;
      this.#isRetrying = true;
      const job = await this.#retry(first.id, now);
      if (job !== null) return job;
      // Cancelled, or leased.
      this.#advance();
    }
  }

  ended(id: string, isRequeued: boolean): void {
    if (this.#interrupted[0]?.id !== id) return;
    if (isRequeued) this.#isRetrying = false;
    else this.#advance();
  }

  onChange(action: () => void): void {
    this.#changed.push(action);
  }

  async #retry(id: string, now: number): Promise<Job | null> {
    try {
      return await this.jobs.claimById(id, now, now + leaseMs);
    } catch (thrown) {
      this.#isRetrying = false;
      throw thrown;
    }
  }

  #advance(): void {
    this.#isRetrying = false;
    this.#interrupted = this.#interrupted.slice(1);
    for (const action of this.#changed) action();
  }
}
