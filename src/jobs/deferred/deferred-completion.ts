import type { Write } from "../../store/write.js";

/** The outcome of a deferred completion, once there is one. */
export type DeferredOutcome =
  | { readonly state: "pending" }
  /** JSON text of the whole answer. */
  | { readonly state: "done"; readonly answer: string }
  /** JSON text of what kept it from an answer. */
  | { readonly state: "failed"; readonly failure: string };

export interface DeferredStore {
  /** A pending one. */
  insertion(deferred: { readonly id: string; readonly teamId: string; readonly createTime: number }): Write;
  /** Writes the outcome of one that is pending; it can be fetched until `expireTime`. */
  ending(id: string, outcome: Exclude<DeferredOutcome, { state: "pending" }>, expireTime: number): Write;
  /**
   * What came of it; an answer is taken away by being read, so that one reader alone gets it. A failure stays until it expires.
   * @returns null for one that is not there, is another team's, was read already or has expired.
   */
  take(id: string, teamId: string, now: number): Promise<DeferredOutcome | null>;
  /** Deletes up to `limit` that have expired. @returns how many it were. */
  deleteExpired(now: number, limit: number): Promise<number>;
}
