import { describe, expect, it, vi } from "vitest";

import { type ManagedServer, startServer, fileServer } from "../../../kit/server.js";
import { allAcls, dayMs } from "../../../kit/server/management.js";
import { builtInModel } from "../../../kit/server/settings.js";
import { gate, until } from "../../../kit/until.js";
import { aSide, complete, errorOf, prices, set, usd, verified, type Side } from "./budgeted.js";

const shared = fileServer({ accounts: "managed" });

const keyOf = async (server: ManagedServer, { secret }: Side) =>
  (await server.request("GET", "/v1/api-key", undefined, secret)).body;

describe("a budget", () => {
  it.each([
    ["in USD", { hardUsd: usd(10 * 1900 + 1899) }],
    ["in tokens", { hardTokens: "76" }],
  ])(
    "F14: %s that covers ten of 100 parallel requests admits ten, and the books balance",
    async (_, budget) => {
      const held = gate();
      const server = await startServer({
        accounts: "managed",
        engine: () => ["a", held.opened, " b"],
        slots: 100,
      });
      const side = await aSide(server);
      await set(server, side, { apiKeyId: side.keyId, period: "day", budget });
      let answered = 0;
      const send = () => complete(server, side).finally(() => (answered += 1));
      const answers = Promise.all(Array.from({ length: 100 }, send));
      await until(() => answered === 90);
      held.open();
      const statuses = (await answers).map(({ status }) => status).toSorted();
      expect(statuses).toEqual([...Array<number>(10).fill(200), ...Array<number>(90).fill(429)]);
      const [row] = await server.database.kysely.selectFrom("budgetPeriods").selectAll().execute();
      expect(row).toMatchObject({
        spentTicks: 10 * (3 * prices.prompt + 2 * prices.completion),
        spentTokens: 50,
        reservedTicks: 0,
        reservedTokens: 0,
      });
      await verified(server);
    },
  );

  it("refuses with 429, the code budget_exceeded and the moment of reset, and admits from then on", async () => {
    // The test moves the clock.
    const server = await startServer({ accounts: "managed" });
    const side = await aSide(server);
    await set(server, side, { apiKeyId: side.keyId, period: "day", budget: { hardTokens: 10 } });
    expect((await complete(server, side)).status).toBe(200);
    const refused = await complete(server, side, 5);
    expect(refused.status).toBe(429);
    expect(refused.headers.get("x-should-retry")).toBe("false");
    expect(refused.headers.get("retry-after")).toBe(String(12 * 3600));
    expect(await refused.json()).toMatchObject({
      error: {
        type: "insufficient_quota",
        code: "budget_exceeded",
        message:
          "Budget exceeded: 5 tokens of the daily budget of the API key, 10 tokens, are used. It resets at 2026-11-22T00:00:00Z. " +
          "This request may use up to 8 tokens; with a lower bound on its tokens it needs less.",
      },
    });
    expect((await complete(server, side, 2)).status).toBe(200);
    server.clock.jump(dayMs / 2 - 1);
    expect((await complete(server, side, 2)).status).toBe(429);
    server.clock.jump(1);
    expect((await complete(server, side, 5)).status).toBe(200);
    await verified(server);
  });

  it("refuses requests of other dialects in their form", async () => {
    const server = shared();
    const side = await aSide(server);
    await set(server, side, { period: "total", budget: { hardUsd: "0" } });
    const message = { model: builtInModel, max_tokens: 4, messages: [{ role: "user", content: "Hello" }] };
    const { status, body } = await server.request("POST", "/v1/messages", message, side.secret);
    expect(status).toBe(429);
    expect(body).toMatchObject({
      type: "error",
      error: {
        type: "rate_limit_error",
        message:
          "Budget exceeded: 0.00 USD of the total budget of the team, 0.00 USD, are used. It does not reset.",
      },
    });
  });

  it("of a request that active requests leave no room for says that it may be tried again", async () => {
    const held = gate();
    const server = await startServer({ accounts: "managed", engine: () => ["a", held.opened], slots: 4 });
    const side = await aSide(server);
    await set(server, side, { period: "week", budget: { hardTokens: 10 } });
    const first = complete(server, side);
    const runs = server.database.kysely.selectFrom("runs").select("id");
    await vi.waitFor(async () => expect(await runs.execute()).toHaveLength(1), 10_000);
    const refused = await complete(server, side);
    expect([
      refused.status,
      refused.headers.get("x-should-retry"),
      refused.headers.get("retry-after"),
    ]).toEqual([429, "true", "1"]);
    expect((await errorOf(refused)).message).toContain("7 tokens of it reserved for active requests");
    held.open();
    expect((await first).status).toBe(200);
  });

  it("holds for all keys that a member created in the team, and for all keys of the team", async () => {
    const server = shared();
    const side = await aSide(server);
    const memberId = await server.createMember(side.teamId, { role: "admin" });
    const manager = await server.createManagementKey({ teamId: side.teamId, memberId });
    const keys: Side[] = [];
    for (const name of ["one", "other"]) {
      const body = { name, acls: allAcls };
      const created = await server.request("POST", `/auth/teams/${side.teamId}/api-keys`, body, manager);
      const { apiKeyId, apiKey } = created.body as { apiKeyId: string; apiKey: string };
      keys.push({ teamId: side.teamId, keyId: apiKeyId, secret: apiKey });
    }
    const [one = side, other = side] = keys;
    await set(server, side, { memberId, period: "month", budget: { hardTokens: 10 } });
    expect((await complete(server, one)).status).toBe(200);
    const refused = await complete(server, other, 5);
    expect((await errorOf(refused)).message).toContain("monthly budget of the member");
    expect((await complete(server, side)).status).toBe(200);
    await set(server, side, { period: "month", budget: { hardTokens: 12 } });
    expect((await errorOf(await complete(server, side))).message).toContain(
      "10 tokens of the monthly budget of the team, 12 tokens, are used",
    );
    await verified(server);
  });

  it("counts each run at the prices it started with", async () => {
    const held = gate();
    const server = await startServer({
      accounts: "managed",
      engine: () => ["a", held.opened, " b"],
      slots: 4,
    });
    const side = await aSide(server);
    await set(server, side, { period: "month", budget: { hardUsd: "1" } });
    const first = complete(server, side);
    await until(() => server.app.scheduler.load.running === 1);
    const dearer = { prices: { prompt: "1", cachedPrompt: "1", completion: "1" } };
    await server.request("PUT", `/admin/models/${builtInModel}`, dearer);
    held.open();
    expect((await first).status).toBe(200);
    const [row] = await server.database.kysely.selectFrom("budgetPeriods").selectAll().execute();
    expect(row).toMatchObject({ spentTicks: 3 * prices.prompt + 2 * prices.completion, reservedTicks: 0 });
    await verified(server);
  });

  it("warns in a header from its soft limit on, and has one entry in the audit log for each period", async () => {
    // The test moves the clock.
    const server = await startServer({ accounts: "managed" });
    const side = await aSide(server);
    const budget = { softTokens: 5, hardTokens: 40 };
    await set(server, side, { apiKeyId: side.keyId, period: "day", budget });
    const header = "x-hearth-budget-warning";
    expect((await complete(server, side)).headers.get(header)).toBe(null);
    for (let count = 0; count < 3; count += 1)
      expect((await complete(server, side)).headers.get(header)).toBe(
        `daily budget of the API key: ${5 + 5 * count} of 40 tokens spent; resets at 2026-11-22T00:00:00Z`,
      );
    const events = async () =>
      (
        (await server.request("GET", `/audit/teams/${side.teamId}/events`)).body as {
          readonly events: readonly { readonly description: string }[];
        }
      ).events.filter(({ description }) => description.includes("soft limit"));
    expect(await events()).toMatchObject([
      { description: "The soft limit of the daily budget of the API key was reached" },
    ]);
    server.clock.jump(dayMs);
    expect((await complete(server, side)).headers.get(header)).toBe(null);
    expect(await events()).toHaveLength(2);
  });
});

describe("GET /v1/api-key", () => {
  it("shows what the key has spent in the month, and what is left of its budgets", async () => {
    // The test moves the clock.
    const server = await startServer({ accounts: "managed" });
    const side = await aSide(server);
    await set(server, side, {
      apiKeyId: side.keyId,
      period: "month",
      budget: { hardUsd: "0.001", softUsd: "0.0005" },
    });
    await complete(server, side);
    const cost = 3 * prices.prompt + 2 * prices.completion;
    expect(await keyOf(server, side)).toMatchObject({
      spent_this_month: {
        start_time: "2026-11-01T00:00:00.000000Z",
        requests: 1,
        usd: usd(cost).replace(/0+$/, ""),
        tokens: 5,
      },
      budgets: [
        {
          subject: "key",
          period: "month",
          start_time: "2026-11-01T00:00:00.000000Z",
          reset_time: "2026-12-01T00:00:00.000000Z",
          hard_usd: "0.001",
          soft_usd: "0.0005",
          spent_usd: usd(cost).replace(/0+$/, ""),
          reserved_usd: "0.00",
          left_usd: usd(1e7 - cost).replace(/0+$/, ""),
          hard_tokens: null,
          spent_tokens: 5,
          left_tokens: null,
        },
      ],
    });
    server.clock.jump(30 * dayMs);
    expect(await keyOf(server, side)).toMatchObject({
      spent_this_month: { requests: 0, usd: "0.00", tokens: 0 },
      budgets: [{ spent_usd: "0.00", left_usd: "0.001" }],
    });
  });
});
