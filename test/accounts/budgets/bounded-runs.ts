/** Budgets for tests, and runs that count for them. */
import type { Budget, BudgetLimits } from "../../../src/accounts/budgets/budget.js";
import { budgetPeriods } from "../../../src/accounts/money/budget-periods.js";
import { createBudgetStore } from "../../../src/accounts/budgets/store.js";
import type { SpendLabels } from "../../../src/accounts/principals/spend-labels.js";
import type { RunRecord } from "../../../src/inference/run/run-record.js";
import type { Database } from "../../../src/store/database.js";
import { createWrites } from "../../../src/store/writes.js";
import { teamId } from "../money/recorded-runs.js";

const at = (text: string) => Date.parse(text);

/** Two moments on each side of the end of a day, a week and a month at once: 1 November 2027 is a Monday. */
export const moments = [
  at("2027-10-31T10:00:00.000Z"),
  at("2027-10-31T23:59:59.999Z"),
  at("2027-11-01T00:00:00.000Z"),
  at("2027-11-02T00:00:00.000Z"),
] as const;
export const [first] = moments;
export const prices = { prompt: 10, cached: 3, completion: 40 };

export const name = (subject: Budget["subject"], subjectId: string, period: Budget["period"]) => ({
  teamId,
  subject,
  subjectId,
  period,
});
export const names = budgetPeriods.flatMap((period) => [
  name("key", "key-1", period),
  name("member", "member-1", period),
  name("team", teamId, period),
  name("tag", "tag-1", period),
  name("user", "user-1", period),
]);

/** Sets a budget, or removes one that has no limit left. */
export async function setBudget(
  database: Database,
  which: (typeof names)[number],
  limits: BudgetLimits,
  now = first,
): Promise<void> {
  const budgets = createBudgetStore(database);
  const before = await budgets.find(which, now);
  const hasLimit = Object.values(limits).some((limit) => limit !== null);
  if (before === null && !hasLimit) return;
  if (before === null)
    return createWrites(database).commit(budgets.insertions({ ...which, ...limits, createTime: now }));
  const write = hasLimit ? budgets.replacement(before, limits) : budgets.removal(before);
  await createWrites(database).commit([write]);
}

/** A run that can use this many tokens at most. */
export const bounded = (keyId: string, startTime: number, tokens: number): Partial<RunRecord> => ({
  apiKeyId: keyId,
  startTime,
  budgeted: {
    userId: keyId === "key-3" ? "member-2" : "member-1",
    bound: { ticks: tokens * prices.completion, tokens },
  },
  labelled: { text: null, spend: labelsOf(keyId) },
});

/** Runs of the first two keys have a tag, and runs of the last two have an end user. */
const labelsOf = (keyId: string): SpendLabels => ({
  tags: keyId === "key-3" ? [] : ["tag-1"],
  metadata: keyId === "key-1" ? ["tag-1", "topic:other"] : [],
  endUser: keyId === "key-1" ? null : "user-1",
});
