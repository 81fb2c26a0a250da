import { sql } from "kysely";
import { expect, it } from "vitest";
import { toMonth, monthStart } from "../../../src/accounts/money/spending.js";
import { databaseOfTwoTeams } from "../../store/records.js";

it.each([
  [0, 197001],
  [Date.UTC(2026, 1, 28, 23, 59, 59, 999), 202602],
  [Date.UTC(2028, 1, 29), 202802],
  [Date.UTC(2026, 11, 31, 23), 202612],
])("the month of %i is %i, in JavaScript as in SQL", async (time, month) => {
  const { kysely, dialect } = await databaseOfTwoTeams();
  const query = sql<{ month: number }>`select ${dialect.toMonth(sql.lit(time))} as month`;
  expect((await query.execute(kysely)).rows).toEqual([{ month }]);
  expect(toMonth(time)).toBe(month);
  expect(toMonth(monthStart(month))).toBe(month);
  expect(toMonth(monthStart(month) - 1)).not.toBe(month);
});
