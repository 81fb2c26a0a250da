import type { Ticks } from "../../core/money.js";

/** A calendar month in UTC, such as 202611. A run belongs to the month in which it started. */
export type Month = number;

/**
 * A team's monthly spending limits; null = no limit. The operator sets the hard one, which bounds all spending of a prepaid team. The
 * team sets the soft one, which bounds use beyond prepaid credit; a prepaid team has none.
 */
export interface SpendingLimits {
  readonly hardTicks: Ticks | null;
  readonly softTicks: Ticks | null;
}

/** What a team has spent in a month, and its limits. Sums exceed safe integers. */
export interface MonthlySpending {
  /** The cost of runs that have ended. */
  readonly chargedTicks: bigint;
  /** What is reserved for active runs. */
  readonly reservedTicks: bigint;
  readonly limits: SpendingLimits;
}

/** The spending of a team without limits in a month without usage. */
export const noSpending: MonthlySpending = {
  chargedTicks: 0n,
  reservedTicks: 0n,
  limits: { hardTicks: null, softTicks: null },
};

/** Returns the limit on use beyond prepaid credit, the smaller one; null when there is none. */
export function effectiveLimit({ hardTicks, softTicks }: SpendingLimits): Ticks | null {
  if (hardTicks === null || softTicks === null) return hardTicks ?? softTicks;
  return Math.min(hardTicks, softTicks);
}

/** Returns the month of a time in milliseconds since the epoch. */
export function toMonth(time: number): Month {
  const date = new Date(time);
  return date.getUTCFullYear() * 100 + date.getUTCMonth() + 1;
}

/** Returns the first millisecond of a month. */
export function monthStart(month: Month): number {
  return Date.UTC(Math.floor(month / 100), (month % 100) - 1);
}
