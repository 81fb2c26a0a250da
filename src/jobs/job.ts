import type { Write } from "../store/write.js";
import type { JobKind } from "../store/column-values.js";

export type { JobKind } from "../store/column-values.js";

/**
 * Work that nobody waits for: it is in the queue from the moment its client was told that it is taken until the moment its
 * outcome is written, and so outlives the process.
 */
export interface Job {
  /** The id that its outcome is asked for by. */
  readonly id: string;
  readonly kind: JobKind;
  readonly teamId: string;
  readonly apiKeyId: string;
  /** Of the request that brought it, as its usage rows record it. */
  readonly endpoint: string;
  /** JSON text of the request, as the client sent it. */
  readonly body: string;
  /** How often it was begun. */
  readonly attempts: number;
  /** Milliseconds since the epoch. */
  readonly createTime: number;
}

/** The queue. A job in hand is leased: whoever holds it renews the lease, and one whose holder died is taken up again. */
export interface JobStore {
  insertion(job: Job): Write;
  /** The job is done with; nothing happens where it is not there. */
  removal(id: string): Write;
  /** The oldest job of the kind that nobody holds, leased until then, with this attempt counted; null when there is none. */
  claim(kind: JobKind, now: number, leaseUntil: number): Promise<Job | null>;
  /** Holds jobs for longer. */
  renew(ids: readonly string[], leaseUntil: number): Promise<void>;
  /** Gives a job back unbegun: the attempt does not count. */
  release(id: string): Promise<void>;
  /** Ends every lease of the kind; at start, nobody holds anything. */
  releaseAll(kind: JobKind): Promise<void>;
  find(id: string): Promise<Job | null>;
  count(kind: JobKind): Promise<number>;
}
