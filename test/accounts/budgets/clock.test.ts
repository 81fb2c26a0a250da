import { describe, expect, it } from "vitest";
import { noBudget } from "../../../src/accounts/budgets/budget.js";
import { createBudgetStore } from "../../../src/accounts/budgets/store.js";
import { databaseOfTwoTeams } from "../../store/records.js";
import { ledgerOf } from "../money/recorded-runs.js";
import { bounded, moments, names, prices, setBudget } from "./bounded-runs.js";

const [, before, after] = moments;
const weekMs = 7 * 86_400_000;
/** Clocks that are behind the one that a budget was created by: over the end of a day, a week, a month, and of a year. */
const behind = [before, after - 1, before - weekMs, before - 60 * weekMs];

describe("M8: a clock that was set back, or a server that is behind", () => {
  it.each(names)(
    "leaves the $period budget of a $subject exact from its creation on, and the ledger verifies",
    async (name) => {
      const database = await databaseOfTwoTeams();
      const books = ledgerOf(database);
      // Runs of every clock that the budget was created during.
      for (const [index, time] of behind.entries())
        await books.begin(`early-${index}`, null, bounded("key-2", time, 20));
      await books.begin("key-1-early", null, bounded("key-1", before, 20));
      await setBudget(database, name, { ...noBudget, hardTokens: 1000 }, after);
      expect(await books.ledger.verify()).toEqual([]);
      for (const [index, time] of behind.entries())
        for (const keyId of ["key-1", "key-2"]) {
          await books.begin(`late-${keyId}-${index}`, null, bounded(keyId, time, 20));
          expect(await books.ledger.verify()).toEqual([]);
        }
      for (const [index] of behind.entries()) await books.end(`early-${index}`, null, 4);
      await books.end("key-1-early", null, 4);
      expect(await books.ledger.verify()).toEqual([]);
      await books.begin("now", null, bounded("key-2", after, 20));
      for (const [index] of behind.entries())
        for (const keyId of ["key-1", "key-2"]) await books.end(`late-${keyId}-${index}`, null, 4);
      await books.end("now", null, 4);
      await books.begin("again", null, bounded("key-2", before, 20));
      await books.end("again", null, 4);
      expect(await books.ledger.verify()).toEqual([]);
    },
  );

  it("holds the runs of an earlier day to a budget that was created on a later one", async () => {
    const database = await databaseOfTwoTeams();
    const books = ledgerOf(database);
    const day = names.find(({ subject, period }) => subject === "key" && period === "day");
    if (day === undefined) throw new Error("there is a budget of each period");
    await setBudget(database, day, { ...noBudget, hardTokens: 30 }, after);
    await books.begin("one", null, bounded("key-1", before, 20));
    await expect(books.begin("two", null, bounded("key-1", before, 20))).rejects.toMatchObject({
      kind: "budget_exceeded",
    });
    const status = await createBudgetStore(database).find(day, before);
    expect(status).toMatchObject({ reservedTokens: 20, reservedTicks: BigInt(20 * prices.completion) });
    expect(await books.ledger.verify()).toEqual([]);
  });

  it("does not hide a difference in a period before the budget", async () => {
    const database = await databaseOfTwoTeams();
    const books = ledgerOf(database);
    const day = names.find(({ subject, period }) => subject === "key" && period === "day");
    if (day === undefined) throw new Error("there is a budget of each period");
    await setBudget(database, day, { ...noBudget, hardTokens: 100 }, after);
    await books.begin("one", null, bounded("key-1", before, 20));
    await books.end("one", null, 4);
    await database.kysely
      .updateTable("budgetPeriods")
      .set({ spentTokens: 99 })
      .where("startTime", "<", after)
      .execute();
    expect((await books.ledger.verify()).join()).toMatch(
      /the day budget of the key key-1 .* is stored with .*99/,
    );
  });
});
