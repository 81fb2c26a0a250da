import { describe, expect, it } from "vitest";
import { complete, maxCostTicks, prices, startLedgerServer, type LedgerAccess } from "../../../kit/ledger.js";
import { gate, until } from "../../../kit/until.js";
import { createManualClock } from "../../../kit/manual-clock.js";

const [prompt, completion] = [3 * prices.prompt, prices.completion];

/** Holds the write lock until it is rolled back. */
async function hold({ database }: LedgerAccess) {
  const holding = await database.kysely.startTransaction().execute();
  await holding.updateTable("teams").set({ weight: 1 }).execute();
  return holding;
}

describe("F11: a database that cannot be written", () => {
  it("causes new work to be rejected with 503, until it is writable again", async () => {
    const server = await startLedgerServer("unmetered", () => ["a b"]);
    const holding = await hold(server);
    const refused = await complete(server);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(await refused.text()).toContain("cannot write to its database");
    await holding.rollback().execute();
    expect((await complete(server)).status).toBe(200);
    expect((await server.runs.list(9)).length).toBe(1);
  });

  it("keeps a run open until its end is written, and then charges it once", async () => {
    const held = gate();
    const clock = createManualClock(Date.UTC(2026, 10, 21));
    const server = await startLedgerServer("prepaid", () => ["a b", held.opened], { clock });
    await server.buy(maxCostTicks);
    const answering = complete(server);
    await until(() => server.app.scheduler.load.running === 1);
    const holding = await hold(server);
    held.open();
    expect((await answering).status).toBe(200);
    expect(server.app.liveRuns.size).toBe(1);
    clock.advance(1000);
    expect(server.app.liveRuns.size).toBe(1);
    await holding.rollback().execute();
    await clock.whenWaiting(1000);
    clock.advance(1000);
    await until(() => server.app.liveRuns.size === 0);
    expect(await server.balances()).toMatchObject({ reserved: 0n, revenue: BigInt(prompt + 2 * completion) });
    expect(await server.ledger.verify()).toEqual([]);
  });
});
