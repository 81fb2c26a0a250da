import { sql, type RawBuilder } from "kysely";
import type { Dialect } from "../../../store/dialect/dialect.js";
import type { BudgetPeriod } from "../../../store/column-values.js";
import { budgetPeriods } from "../budget-periods.js";

/** Returns the first millisecond of the period in which a time lies, as SQL. Each period starts with a day (UTC). */
export function selectPeriodStart(
  { monthStart }: Dialect,
  period: BudgetPeriod,
  time: RawBuilder<unknown>,
): RawBuilder<number> {
  if (period === "day") return sql`${time} - ${time} % 86400000`;
  if (period === "week") return sql`${time} - (${time} + 259200000) % 604800000`;
  return period === "month" ? sql`${monthStart(time)}` : sql`0`;
}

/** Returns the same for the period of the row `budget`. */
export function selectBudgetPeriodStart(dialect: Dialect, time: RawBuilder<unknown>): RawBuilder<number> {
  const cases = budgetPeriods.map(
    (period) => sql`when ${sql.lit(period)} then ${selectPeriodStart(dialect, period, time)}`,
  );
  return sql`case budget.period ${sql.join(cases, sql` `)} end`;
}
