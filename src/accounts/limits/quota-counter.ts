/**
 * What counts requests and tokens against quotas. rate-limits.ts decides which quotas apply; a counter owns the sliding windows and the
 * clock by which they slide. memory-counter.ts keeps them in the memory of one process.
 */
import type { Limits, LimitStatus } from "../../core/limits.js";

export type LimitName = keyof Limits;

/** The length of each limit's window. */
export const spansMs: Readonly<Record<LimitName, number>> = { qps: 1000, qpm: 60_000, tpm: 60_000 };

/** One limit of a key or team. */
export interface Quota {
  readonly name: LimitName;
  readonly limit: number;
  /** Identifies the key, or the team and model; every scope is counted separately. */
  readonly scope: string;
  /** Describes the scope in error messages. */
  readonly subject: string;
  /** The scope of all end users, for a limit on each end user: only so many are counted by themselves. */
  readonly endUsersScope?: string;
}

/** An amount to be counted against a quota. */
export interface Demand {
  readonly quota: Quota;
  readonly amount: number;
}

/** The demand that has to wait longest. */
export interface Shortage {
  readonly demand: Demand;
  readonly used: number;
  /** Milliseconds until all demands fit, without further requests; null = they never fit. */
  readonly waitMs: number | null;
}

/** Demands that were counted together. */
export interface CountedDemands {
  readonly demands: readonly Demand[];
  /** In milliseconds of the counter's clock. */
  readonly countedAt: number;
}

/** Whether demands were counted, and what is left. */
export interface Taken {
  /** Why nothing was counted; null when all was. */
  readonly shortage: Shortage | null;
  readonly countedAt: number;
  /** What is left of the quota of each demand: of the demands counted before, then of the others. */
  readonly statuses: readonly LimitStatus[];
}

export interface QuotaCounter {
  /**
   * Counts all demands, or none when a quota does not suffice. When none, demands that were counted before for the same request are
   * given back, and the shortage is computed for all of them together, which other requests may have changed meanwhile.
   * @throws HearthError `overloaded` when there is no room to count; then, too, the demands counted before are given back.
   */
  take(demands: readonly Demand[], before?: CountedDemands): Promise<Taken>;
  /**
   * Corrects an estimate: counts a positive difference now, whatever the limit, and subtracts a negative one from what was counted at
   * `countedAt`, unless that has expired.
   */
  correct(quotas: readonly Quota[], difference: number, countedAt: number): void;
}
