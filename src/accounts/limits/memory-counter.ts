/** Counts in the memory of this process: a restart empties the windows. */
import type { Clock } from "../../core/clock.js";
import type { CountedDemands, Demand, QuotaCounter, Shortage, Taken } from "./quota-counter.js";
import { Quotas, type QuotaBounds } from "./quotas.js";

/** Creates a counter with empty windows. */
export function createMemoryCounter(clock: Clock, bounds: Partial<QuotaBounds> = {}): QuotaCounter {
  const quotas = new Quotas(bounds);
  const now = (): number => Math.floor(clock.monotonic());
  return {
    take: (demands, before) => Promise.resolve().then(() => takeWith(quotas, demands, before, now())),
    correct(of, difference, countedAt) {
      for (const quota of of)
        if (difference > 0) quotas.add(quota, difference, now());
        else quotas.giveBack(quota, -difference, { countedAt, now: now() });
    },
  };
}

function takeWith(
  quotas: Quotas,
  demands: readonly Demand[],
  before: CountedDemands | undefined,
  now: number,
): Taken {
  const earlier = before?.demands ?? [];
  const all = [...earlier, ...demands];
  let isTaken = false;
  let shortage: Shortage | null;
  try {
    shortage = quotas.take(demands, now);
    isTaken = shortage === null;
  } finally {
    if (!isTaken && before !== undefined)
      for (const { quota, amount } of earlier)
        quotas.giveBack(quota, amount, { countedAt: before.countedAt, now });
  }
  // Other requests of the key may have been counted while this one was read.
  if (shortage !== null) shortage = quotas.shortage(all, now) ?? shortage;
  return { shortage, countedAt: now, statuses: all.map(({ quota }) => quotas.limitStatus(quota, now)) };
}
