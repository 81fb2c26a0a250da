import { expect, it } from "vitest";
import { createSpendingStore } from "../../../../src/accounts/money/store/spending-limits.js";
import { createWrites } from "../../../../src/store/writes.js";
import {
  authorization,
  maxCostTicks,
  complete,
  prices,
  startLedgerServer,
  type LedgerServer,
} from "../../../kit/ledger.js";
import { startServer } from "../../../kit/server.js";
import { hello, post } from "../../../kit/server/requests.js";
import { gate, until, eventually } from "../../../kit/until.js";

async function limit({ database, teamId }: LedgerServer, hardTicks: number): Promise<void> {
  const none = { hardTicks: null, softTicks: null };
  const after = { hardTicks, softTicks: null };
  await createWrites(database).commit([createSpendingStore(database).replacement(teamId, none, after)]);
}

it("a team whose monthly limit allows one request gets exactly one of 100 concurrent requests served", async () => {
  const held = gate();
  const server = await startLedgerServer("prepaid", () => ["a b", held.opened], { slots: 100 });
  await server.buy(1_000 * maxCostTicks);
  await limit(server, 2 * maxCostTicks - 1);
  const statuses: number[] = [];
  const received: string[] = [];
  const all = Array.from({ length: 100 }, async () => {
    const response = await complete(server);
    statuses.push(response.status);
    received.push(await response.text());
  });
  await until(() => received.length === 99);
  expect(new Set(statuses)).toEqual(new Set([403]));
  expect(received[0]).toContain(
    "has either used all available credits or reached its monthly spending limit. To continue making API requests, " +
      "please have its limit raised, or wait for the next month (UTC). This request may cost up to 0.00000035 USD",
  );
  held.open();
  await Promise.all(all);
  expect(statuses.at(-1)).toBe(200);
  const cost = 3 * prices.prompt + 2 * prices.completion;
  await eventually(async () =>
    expect(await server.balances()).toMatchObject({ reserved: 0n, revenue: BigInt(cost) }),
  );
  expect(await server.ledger.verify()).toEqual([]);
});

it("a team that has reached its monthly limit is rejected before any work, in Anthropic's format on their routes", async () => {
  const server = await startLedgerServer("prepaid", () => ["never"]);
  await server.buy(1_000 * maxCostTicks);
  await limit(server, 0);
  const response = await fetch(`${server.url}/v1/messages`, {
    method: "POST",
    headers: { ...authorization, "anthropic-version": "2023-06-01" },
    body: JSON.stringify({
      model: "hearth-tiny-5m",
      max_tokens: 8,
      messages: [{ role: "user", content: "Hi" }],
    }),
  });
  expect(response.status).toBe(402);
  expect(await response.json()).toMatchObject({
    error: {
      type: "billing_error",
      message: expect.stringContaining("reached its monthly spending limit") as string,
    },
  });
  expect(await server.runs.list(1)).toEqual([]);
});

it("an unmetered team is not subject to spending limits", async () => {
  const server = await startLedgerServer("unmetered", () => ["a b"]);
  await limit(server, 0);
  expect((await complete(server)).status).toBe(200);
  expect(await server.ledger.verify()).toEqual([]);
});

it("a run is recorded with the requested name of its model", async () => {
  const server = await startServer({ engine: () => ["Hello"] });
  for (const model of ["ember", "ember-1m"])
    expect((await post(server, { ...hello, model })).status).toBe(200);
  expect(
    (await server.records()).map(({ model, requestedModel: askedModel }) => [model, askedModel]),
  ).toEqual([
    ["ember-1m", "ember"],
    ["ember-1m", "ember-1m"],
  ]);
});
