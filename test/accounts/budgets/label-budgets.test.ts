import { sql } from "kysely";
import { expect, it } from "vitest";
import { noBudget } from "../../../src/accounts/budgets/budget.js";
import { ledgerOf, outcomeOf } from "../money/recorded-runs.js";
import { twoConnections } from "../../store/records.js";
import { bounded, first, name, setBudget } from "./bounded-runs.js";

it.each([
  ["tag", "tag-1"],
  ["user", "user-1"],
] as const)(
  "F14: what is left of the budget of a %s is given to only as many of 100 parallel runs on two connections as it covers",
  async (subject, label) => {
    const [one, other] = await twoConnections();
    await setBudget(one, name(subject, label, "day"), { ...noBudget, hardTokens: 105 });
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        outcomeOf(
          ledgerOf(index % 2 === 0 ? one : other).begin(`run-${index}`, null, bounded("key-2", first, 10)),
        ),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === "done")).toHaveLength(10);
    expect(await ledgerOf(one).ledger.verify()).toEqual([]);
    await sql`update budget_periods set reserved_tokens = 0`.execute(one.kysely);
    expect(await ledgerOf(one).ledger.verify()).toEqual([
      expect.stringContaining(
        `the day budget of the ${subject} ${subject}:${label} in team team-1 is stored with`,
      ),
    ]);
  },
);
