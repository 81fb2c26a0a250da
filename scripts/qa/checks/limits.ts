/** Limits: no window has more requests than a limit admits. */

/** A request that a limit admitted: it was counted between both times, in milliseconds. */
export interface Admitted {
  readonly from: number;
  readonly until: number;
}

export const windowsMs = { qps: 1_000, qpm: 60_000 } as const;
export type LimitName = keyof typeof windowsMs;

/**
 * Returns how many requests were counted for sure in the first window with more than its bound; null where no window has more. Each
 * request begins a window.
 * @param admitted in any order. @param boundOf returns how many a window may have that begins then
 */
export function findExcess(
  admitted: readonly Admitted[],
  windowMs: number,
  boundOf: (from: number) => number,
): number | null {
  const sorted = admitted.toSorted((one, other) => one.from - other.from);
  for (const [at, { from }] of sorted.entries()) {
    const end = from + windowMs;
    let count = 0;
    for (let next = at; ; next += 1) {
      const request = sorted[next];
      if (request === undefined || request.from >= end) break;
      if (request.until < end) count += 1;
    }
    if (count > boundOf(from)) return count;
  }
  return null;
}
