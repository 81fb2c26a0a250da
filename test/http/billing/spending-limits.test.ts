import { expect, it } from "vitest";
import { createSpendingStore } from "../../../src/accounts/money/store/spending-limits.js";
import { createWrites } from "../../../src/store/writes.js";
import {
  authorization,
  bound,
  complete,
  prices,
  serverWithBooks,
  type ServerWithBooks,
} from "../../books.js";
import { until } from "../../harness.js";
import { compose, gate, hello, post } from "../compose.js";

async function limit({ database, teamId }: ServerWithBooks, hardTicks: number): Promise<void> {
  const none = { hardTicks: null, softTicks: null };
  const after = { hardTicks, softTicks: null };
  await createWrites(database).commit([createSpendingStore(database).replacement(teamId, none, after)]);
}

it("of 100 requests at a time of a team with plenty of credit, exactly one is served where its month has room for one", async () => {
  const held = gate();
  const server = await serverWithBooks("prepaid", () => ["a b", held.opened], { slots: 100 });
  await server.buy(1_000 * bound);
  await limit(server, 2 * bound - 1);
  const statuses: number[] = [];
  const told: string[] = [];
  const all = Array.from({ length: 100 }, async () => {
    const response = await complete(server);
    statuses.push(response.status);
    told.push(await response.text());
  });
  await until(() => told.length === 99);
  expect(new Set(statuses)).toEqual(new Set([403]));
  expect(told[0]).toContain(
    "has either used all available credits or reached its monthly spending limit. To continue making API requests, " +
      "please have its limit raised, or wait for the next month (UTC). This request may cost up to 0.00000035 USD",
  );
  held.open();
  await Promise.all(all);
  expect(statuses.at(-1)).toBe(200);
  const cost = 3 * prices.prompt + 2 * prices.completion;
  expect(await server.balances()).toMatchObject({ reserved: 0n, revenue: BigInt(cost) });
  expect(await server.ledger.verify()).toEqual([]);
});

it("a team that has spent its month is refused before a model works for it, in Anthropic's words on their routes", async () => {
  const server = await serverWithBooks("prepaid", () => ["never"]);
  await server.buy(1_000 * bound);
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

it("an unmetered team is not held to limits", async () => {
  const server = await serverWithBooks("unmetered", () => ["a b"]);
  await limit(server, 0);
  expect((await complete(server)).status).toBe(200);
  expect(await server.ledger.verify()).toEqual([]);
});

it("a run is recorded with the name that its model was asked for by", async () => {
  const server = await compose(() => ["Hello"]);
  for (const model of ["ember", "ember-1m"])
    expect((await post(server, { ...hello, model })).status).toBe(200);
  expect(server.records.map(({ model, askedModel }) => [model, askedModel])).toEqual([
    ["ember-1m", "ember"],
    ["ember-1m", "ember-1m"],
  ]);
});
