import type { BudgetStatus } from "../../../accounts/budgets/budget.js";

/** Budgets that are remembered between two checks. */
const budgetsMax = 1000;

/** Remembers which budgets refuse requests, until the next check. */
export class RefusedBudgets {
  readonly #refused = new Map<string, BudgetStatus>();

  add(statuses: readonly BudgetStatus[]): void {
    for (const status of statuses) {
      const { teamId, subject, subjectId, period } = status;
      if (this.#refused.size < budgetsMax)
        this.#refused.set(JSON.stringify([teamId, subject, subjectId, period]), status);
    }
  }

  /** Returns them, and forgets them. */
  take(): readonly BudgetStatus[] {
    const taken = [...this.#refused.values()];
    this.#refused.clear();
    return taken;
  }
}
