import { expect, it, vi } from "vitest";
import { gate, until } from "../../kit/until.js";
import { complete, maxCostTicks, prices, startLedgerServer } from "../../kit/ledger.js";

it("of 100 parallel requests with credit for ten, ten are served, and the books balance", async () => {
  const held = gate();
  const server = await startLedgerServer("prepaid", () => ["a b", held.opened], { slots: 100 });
  await server.buy(10 * maxCostTicks);
  const statuses: number[] = [];
  const all = Array.from({ length: 100 }, async () => {
    const response = await complete(server);
    statuses.push(response.status);
    await response.arrayBuffer();
  });
  await until(() => statuses.length === 90);
  expect(new Set(statuses)).toEqual(new Set([403]));
  expect(await server.balances()).toMatchObject({ credit: 0n, reserved: 10n * BigInt(maxCostTicks) });
  held.open();
  await Promise.all(all);
  expect(statuses.slice(90)).toEqual(Array(10).fill(200));
  const cost = BigInt(3 * prices.prompt + 2 * prices.completion);
  // The end of a run that others kept from being written is written again after its answer.
  await vi.waitFor(
    async () => expect(await server.balances()).toMatchObject({ reserved: 0n, revenue: 10n * cost }),
    { timeout: 20_000 },
  );
  expect(await server.ledger.verify()).toEqual([]);
});
