/** Requests and runs of the last minutes, and how many of them failed by no fault of their client. */
import type { Clock } from "../../core/clock.js";
import type { ErrorKind } from "../../core/errors.js";
import type { FinishedRequest, FinishedRun } from "../../core/metrics.js";

export interface RecentFaults {
  readonly requests: number;
  /** Answered with a status of 500 or higher. */
  readonly failedRequests: number;
  readonly runs: number;
  readonly failedRuns: number;
}

/** Minutes that are counted. */
const minutesMax = 60;
const minuteMs = 60_000;

/** Errors of the server and its models; errors of a client are not faults. */
const faults: ReadonlySet<ErrorKind | null> = new Set<ErrorKind | null>([
  "internal",
  "model_unavailable",
  "overloaded",
  "invalid_output",
  "dependency_failed",
]);

type Counts = { -readonly [Name in keyof RecentFaults]: number };

/** Counts by the minute; what is older than an hour is forgotten. */
export function createFaultCounts(clock: Clock) {
  const byMinute = new Map<number, Counts>();
  const minuteNow = (): number => Math.floor(clock.monotonic() / minuteMs);
  const current = (): Counts => {
    const minute = minuteNow();
    const known = byMinute.get(minute);
    if (known !== undefined) return known;
    for (const old of byMinute.keys()) if (old <= minute - minutesMax) byMinute.delete(old);
    const counts = { requests: 0, failedRequests: 0, runs: 0, failedRuns: 0 };
    byMinute.set(minute, counts);
    return counts;
  };
  return {
    addRequest({ status }: FinishedRequest): void {
      const counts = current();
      counts.requests += 1;
      if (status >= 500) counts.failedRequests += 1;
    },
    addRun({ state, errorKind }: FinishedRun): void {
      const counts = current();
      counts.runs += 1;
      if (state === "failed" && faults.has(errorKind)) counts.failedRuns += 1;
    },
    /** Sums the current minute and those before it. @param minutes at most 60 */
    read(minutes: number): RecentFaults {
      const first = minuteNow() - minutes + 1;
      const total: Counts = { requests: 0, failedRequests: 0, runs: 0, failedRuns: 0 };
      for (const [minute, counts] of byMinute) {
        if (minute < first) continue;
        total.requests += counts.requests;
        total.failedRequests += counts.failedRequests;
        total.runs += counts.runs;
        total.failedRuns += counts.failedRuns;
      }
      return total;
    },
  };
}
