import { sql, type RawBuilder } from "kysely";
import type { Dialect } from "../../../store/dialect/dialect.js";
import { budgetPeriods, type Budget } from "../budget.js";

/** The first millisecond of the period in which a time lies, as SQL. Each period starts with a day (UTC). */
export function startIn(
  { monthStart }: Dialect,
  period: Budget["period"],
  time: RawBuilder<unknown>,
): RawBuilder<number> {
  if (period === "day") return sql`${time} - ${time} % 86400000`;
  if (period === "week") return sql`${time} - (${time} + 259200000) % 604800000`;
  return period === "month" ? sql`${monthStart(time)}` : sql`0`;
}

/** The same for the period of the row `budget`. */
export function startOf(dialect: Dialect, time: RawBuilder<unknown>): RawBuilder<number> {
  const cases = budgetPeriods.map(
    (period) => sql`when ${sql.lit(period)} then ${startIn(dialect, period, time)}`,
  );
  return sql`case budget.period ${sql.join(cases, sql` `)} end`;
}
