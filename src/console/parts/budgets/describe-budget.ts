/** Budgets in a few words. */
import { subjectFields } from "../../../accounts/budgets/budget.js";
import type { WireBudget } from "../../../http/management/billing/present-budget.js";
import type { BudgetKey } from "../../api/budgets.js";
import { parseUsd } from "../../lib/money.js";

export const periodTitles: Readonly<Record<WireBudget["period"], string>> = {
  day: "Each day",
  week: "Each week",
  month: "Each month",
  total: "In total",
};

/** Returns a text that differs between budgets: a subject has at most one for each period. */
export function toBudgetKey(budget: BudgetKey): string {
  return JSON.stringify([budget.period, ...subjectFields.map(([field]) => budget[field])]);
}

/** An amount spent, with its limits; amounts of money are in ticks. */
export interface SpentAmount {
  readonly unit: "usd" | "tokens";
  readonly spent: bigint;
  /** The most that active requests can spend. */
  readonly reserved: bigint;
  readonly hard: bigint | null;
  readonly soft: bigint | null;
}

/** Returns what is spent of each kind of limit that the budget has. */
export function listSpent(budget: WireBudget): readonly SpentAmount[] {
  const limit = (text: string | undefined, read: (text: string) => bigint) =>
    text === undefined ? null : read(text);
  const all: readonly SpentAmount[] = [
    {
      unit: "usd",
      spent: parseUsd(budget.spentUsd),
      reserved: parseUsd(budget.reservedUsd),
      hard: limit(budget.hardUsd, parseUsd),
      soft: limit(budget.softUsd, parseUsd),
    },
    {
      unit: "tokens",
      spent: BigInt(budget.spentTokens),
      reserved: BigInt(budget.reservedTokens),
      hard: limit(budget.hardTokens, BigInt),
      soft: limit(budget.softTokens, BigInt),
    },
  ];
  return all.filter(({ hard, soft }) => hard !== null || soft !== null);
}

type BudgetState = "good" | "warn" | "bad";

export const budgetStateTexts: Readonly<Record<BudgetState, string>> = {
  good: "within",
  warn: "soft limit reached",
  bad: "spent",
};

/** Returns whether a limit is reached: `bad` for the hard one, `warn` for the soft one. */
export function judgeBudget({ spent, hard, soft }: SpentAmount): BudgetState {
  if (hard !== null && spent >= hard) return "bad";
  return soft !== null && spent >= soft ? "warn" : "good";
}
