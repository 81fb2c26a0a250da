/** Budgets of keys, members, teams, tags and end users. All times are in UTC; a week starts on Monday. */
import type { Ticks } from "../../core/money.js";
import type { BudgetPeriod, BudgetSubject } from "../../store/column-values.js";

export type { BudgetPeriod, BudgetSubject } from "../../store/column-values.js";

/** What a budget allows in each period; null = no such limit. A hard limit refuses requests, a soft one warns. */
export interface BudgetLimits {
  readonly hardTicks: Ticks | null;
  readonly softTicks: Ticks | null;
  readonly hardTokens: number | null;
  readonly softTokens: number | null;
}

export const noBudget: BudgetLimits = {
  hardTicks: null,
  softTicks: null,
  hardTokens: null,
  softTokens: null,
};

/** Whose budgets. */
export interface BudgetHolder {
  readonly subject: BudgetSubject;
  /** Id of the key, the member or the team; the tag or the end user itself. */
  readonly subjectId: string;
}

/** Which budget: a subject has at most one for each period. */
export interface BudgetName extends BudgetHolder {
  readonly teamId: string;
  readonly period: BudgetPeriod;
}

/** At least one limit is not null. */
export interface Budget extends BudgetName, BudgetLimits {
  /** Milliseconds since the epoch. */
  readonly createTime: number;
}

/** What is spent and reserved in one period. Amounts of money over years exceed safe integers. */
interface BudgetSpending {
  readonly spentTicks: bigint;
  readonly spentTokens: number;
  /** The most that active runs can cost and use. */
  readonly reservedTicks: bigint;
  readonly reservedTokens: number;
}

/** A budget in a period. */
export interface BudgetStatus extends Budget, BudgetSpending {
  /** Milliseconds since the epoch. */
  readonly startTime: number;
  /** When the next period starts; null: never. */
  readonly resetTime: number | null;
  /** Whether the audit log has that a soft limit was reached in this period. */
  readonly isWarned: boolean;
}

const dayMs = 86_400_000;
const weekMs = 7 * dayMs;

/** The epoch was a Thursday: its week had started three days before. */
const weekOffsetMs = 3 * dayMs;

/** Returns the first millisecond of the period of a time; both in milliseconds since the epoch. */
export function periodStart(period: BudgetPeriod, time: number): number {
  if (period === "day") return time - (time % dayMs);
  if (period === "week") return time - ((time + weekOffsetMs) % weekMs);
  return period === "month" ? monthStart(time, 0) : 0;
}

/** Returns the first millisecond of the next period; null when there is none. */
export function periodEnd(period: BudgetPeriod, time: number): number | null {
  if (period === "total") return null;
  if (period === "month") return monthStart(time, 1);
  return periodStart(period, time) + (period === "day" ? dayMs : weekMs);
}

function monthStart(time: number, monthsLater: number): number {
  const date = new Date(time);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + monthsLater);
}

/** Returns the name of a budget for a person, such as `monthly budget of the API key` or `daily budget of the tag 'env:prod'`. */
export function describeBudget({ period, subject, subjectId }: BudgetName): string {
  const label = subject === "tag" || subject === "user" ? ` '${subjectId}'` : "";
  return `${adjectives[period]} budget of the ${subjects[subject]}${label}`;
}

const adjectives: Readonly<Record<BudgetPeriod, string>> = {
  day: "daily",
  week: "weekly",
  month: "monthly",
  total: "total",
};

const subjects: Readonly<Record<BudgetSubject, string>> = {
  key: "API key",
  member: "member",
  team: "team",
  tag: "tag",
  user: "end user",
};

/** Returns what is left for further requests; null = no limit. */
export function budgetLeft(status: BudgetStatus): {
  readonly ticks: bigint | null;
  readonly tokens: number | null;
} {
  const { hardTicks, hardTokens, spentTicks, reservedTicks, spentTokens, reservedTokens } = status;
  const ticks = hardTicks === null ? null : BigInt(hardTicks) - spentTicks - reservedTicks;
  return {
    ticks: ticks !== null && ticks < 0n ? 0n : ticks,
    tokens: hardTokens === null ? null : Math.max(0, hardTokens - spentTokens - reservedTokens),
  };
}

/** Whether a soft limit is reached. */
export function isSoftReached({ softTicks, softTokens, spentTicks, spentTokens }: BudgetStatus): boolean {
  return (
    (softTicks !== null && spentTicks >= BigInt(softTicks)) ||
    (softTokens !== null && spentTokens >= softTokens)
  );
}

/** The fields of a budget that name its subject, and what it is; a budget without one of them is the team's. */
export const subjectFields = [
  ["apiKeyId", "key"],
  ["memberId", "member"],
  ["tag", "tag"],
  ["endUser", "user"],
] as const;
