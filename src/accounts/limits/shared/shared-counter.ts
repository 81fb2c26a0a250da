/**
 * Counts in the database or in Redis, so that a limit holds exactly for all servers that share it. Times come from the database or from
 * Redis: the clock of a server may be wrong. Without the database nothing is admitted; ../redis/redis-counter.ts says what happens without
 * Redis. Every end user in requests has windows of their own; what is kept is what the requests of the last two minutes have counted.
 */
import type { Clock } from "../../../core/clock.js";
import type { LimitStatus } from "../../../core/limits.js";
import {
  spansMs,
  type Demand,
  type Quota,
  type QuotaCounter,
  type Shortage,
  type Taken,
} from "../quota-counter.js";
import type { CountRow, DemandRecord, SharedWindows } from "./shared-windows.js";

interface SharedCounterDeps {
  readonly windows: SharedWindows;
  readonly clock: Clock;
  /** Returns a time in milliseconds to count at; null = the time of the database, or of Redis. */
  readonly time: () => number | null;
  /** Called when a correction could not be written: the estimate stays counted until it expires. Also when a sweep failed. */
  readonly onError: (thrown: unknown) => void;
}

/** Interval at which a server removes windows that are no longer used. */
const sweepEveryMs = 60_000;

export function createSharedCounter({ windows, clock, time, onError }: SharedCounterDeps): QuotaCounter {
  let sweptAt = clock.monotonic();
  const sweepNowAndThen = (): void => {
    const now = clock.monotonic();
    if (now - sweptAt < sweepEveryMs) return;
    sweptAt = now;
    windows.sweep(time()).catch(onError);
  };
  return {
    async take(demands, before = { demands: [], countedAt: 0 }) {
      const all = [...before.demands, ...demands];
      if (all.length === 0) return { shortage: null, countedAt: 0, statuses: [] };
      sweepNowAndThen();
      const [earlier, wanted] = [before.demands.map(toRecord), demands.map(toRecord)];
      return toTaken(all, await windows.take(earlier, before.countedAt, wanted, time()));
    },
    correct(quotas, difference, countedAt) {
      if (difference === 0) return;
      const records = quotas.map((quota) => ({ quota: toKey(quota), span: spansMs[quota.name] }));
      windows.correct(records, difference, countedAt, time()).catch(onError);
    },
  };
}

function toTaken(all: readonly Demand[], rows: readonly CountRow[]): Taken {
  const countedAt = rows[0]?.countedAt ?? 0;
  const statuses: LimitStatus[] = [];
  let shortage: Shortage | null = null;
  all.forEach((demand, index) => {
    const { limit } = demand.quota;
    const row = rows[index];
    const used = row?.used ?? 0;
    statuses.push({
      limit,
      remaining: Math.max(0, limit - used),
      resetMs: Math.max(0, (row?.endsAt ?? countedAt) - countedAt),
    });
    if (row === undefined || row.taken || used + demand.amount <= limit) return;
    const waitMs = row.fitsAt === null ? null : row.fitsAt - countedAt;
    if (shortage === null || (waitMs ?? Infinity) > (shortage.waitMs ?? Infinity))
      shortage = { demand, used, waitMs };
  });
  return { shortage, countedAt, statuses };
}

function toRecord({ quota, amount }: Demand): DemandRecord {
  return { quota: toKey(quota), span: spansMs[quota.name], most: quota.limit, amount };
}

function toKey({ name, scope }: Quota): string {
  return `${name} ${scope}`;
}
