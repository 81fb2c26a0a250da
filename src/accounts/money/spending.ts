import type { Ticks } from "../../core/money.js";
import type { Write } from "../../store/write.js";

/** A month of the calendar in UTC, such as 202611. A run belongs to the one in which it began. */
export type Month = number;

/** What a team may spend in a month: the operator's bound and the team's own; null = none. */
export interface SpendingLimits {
  readonly hardTicks: Ticks | null;
  readonly softTicks: Ticks | null;
}

/** What a team has spent in a month, and may. Sums outgrow safe integers. */
export interface MonthlySpending {
  /** The cost of runs that have ended. */
  readonly chargedTicks: bigint;
  /** What is held for runs in hand. */
  readonly reservedTicks: bigint;
  readonly limits: SpendingLimits;
}

export interface SpendingStore {
  find(teamId: string, month: Month): Promise<MonthlySpending>;
  /** Of every team that has limits or has spent in that month, by team id. */
  all(month: Month): Promise<ReadonlyMap<string, MonthlySpending>>;
  /** What `before` becomes; a commit of it fails with `conflict` when the limits are not as `before` any more. */
  replacement(teamId: string, before: SpendingLimits, after: SpendingLimits): Write;
}

/** Of a team without any, in a month without use. */
export const noSpending: MonthlySpending = {
  chargedTicks: 0n,
  reservedTicks: 0n,
  limits: { hardTicks: null, softTicks: null },
};

/** The limit that holds: the smaller one. */
export function effectiveLimit({ hardTicks, softTicks }: SpendingLimits): Ticks | null {
  if (hardTicks === null || softTicks === null) return hardTicks ?? softTicks;
  return Math.min(hardTicks, softTicks);
}

/** The month of a time in milliseconds since the epoch. */
export function monthOf(time: number): Month {
  const date = new Date(time);
  return date.getUTCFullYear() * 100 + date.getUTCMonth() + 1;
}

/** Its first millisecond. */
export function monthStart(month: Month): number {
  return Date.UTC(Math.floor(month / 100), (month % 100) - 1);
}
