import type { BudgetPeriod } from "../../store/column-values.js";

/** From the shortest to the longest. */
export const budgetPeriods: readonly BudgetPeriod[] = ["day", "week", "month", "total"];
