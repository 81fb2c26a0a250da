import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { noBudget } from "../../../src/accounts/budgets/budget.js";
import { createBudgetStore } from "../../../src/accounts/budgets/store.js";
import { createScriptedEngine } from "../../kit/scripted/engine.js";
import { createWrites } from "../../../src/store/writes.js";
import { openLedger } from "../../kit/ledger.js";
import { temporaryFolder } from "../../kit/folder.js";
import { startServer } from "../../kit/server.js";
import { killedAfter } from "./killed-child.js";
import { casesOf } from "../../kit/setup/random-cases.js";

const kills = casesOf(16);
const program = fileURLToPath(new URL("./scripted-child.ts", import.meta.url));

it(
  "F12: killed with -9 at any moment between reserve and settle, the ledger and the budgets balance and nothing stays reserved",
  { timeout: kills * 20_000 },
  async () => {
    const data = join(temporaryFolder(), "data");
    await startThenStop(data);
    const books = await openLedger(data, "prepaid");
    await books.buy(Number.MAX_SAFE_INTEGER);
    const { teamId } = books;
    const name = { teamId, subject: "team", subjectId: teamId, period: "total" } as const;
    const budgets = createBudgetStore(books.database);
    const limits = { ...noBudget, hardTicks: Number.MAX_SAFE_INTEGER };
    await createWrites(books.database).commit(budgets.insertions({ ...name, ...limits, createTime: 1 }));
    const expectEqualSums = async (): Promise<void> => {
      const [{ reserved, revenue }, budget] = [await books.balances(), await budgets.find(name, 1)];
      expect([budget?.reservedTicks, budget?.spentTicks]).toEqual([reserved, revenue]);
    };
    let held = 0;
    for (let round = 0; round < kills; round++) {
      // A different one of the first hundred events in each round.
      const lines = await killedAfter(2 + ((round * 37) % 97), program, { HEARTH_DATA: data });
      expect(lines[0]).toBe("listening");
      expect(await books.ledger.verify()).toEqual([]);
      await expectEqualSums();
      if ((await books.balances()).reserved > 0n) held += 1;
    }
    // Otherwise no server had an active run when it was killed.
    expect(held).toBeGreaterThan(0);
    await startThenStop(data);
    expect((await books.balances()).reserved).toBe(0n);
    await expectEqualSums();
    expect(await books.ledger.verify()).toEqual([]);
    const runs = await books.runs.list(10_000);
    expect(runs.filter(({ state }) => state === "interrupted").length).toBeGreaterThanOrEqual(held);
    expect(runs.filter(({ state }) => state === "running")).toEqual([]);
  },
);

/** Starts and stops a server, which recovers what the killed one left. */
async function startThenStop(data: string): Promise<void> {
  const { app } = await startServer({
    environment: { HEARTH_DATA: data },
    engine: createScriptedEngine(() => []),
  });
  await app.close();
}
