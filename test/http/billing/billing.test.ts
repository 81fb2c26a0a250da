import { describe, expect, it } from "vitest";
import { cliActor } from "../../../src/accounts/audit/actors.js";
import { createCreditService } from "../../../src/accounts/money/credits.js";
import { createSpendingService } from "../../../src/accounts/money/spending-limits.js";
import { ticksToUsd } from "../../../src/core/money.js";
import { systemRandom } from "../../../src/system.js";
import { completionRequest, maxCostTicks } from "../../ledger.js";
import { dayMs, startManagedServer, type Answer, type ManagedServer, allAcls } from "../auth/managed.js";

interface Used {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly cost_in_usd_ticks: number;
}

/** A prepaid team with a management key and an API key; answers have two words. */
async function world() {
  const server = await startManagedServer();
  const teamId = await server.createTeam();
  const own = await server.createManagementKey({ teamId });
  const { apiKey, apiKeyId } = await server.createKey(teamId, { acls: allAcls });
  const deps = { ...server.stores, clock: server.clock, random: systemRandom };
  return {
    ...{ ...server, teamId, own, apiKeyId },
    credits: createCreditService(deps),
    limits: createSpendingService(deps),
    billing: (method: string, path: string, body?: object, credential = own): Promise<Answer> =>
      server.request(method, `/v1/billing/teams/${teamId}/${path}`, body, credential),
    topUp: (val: string): Promise<Answer> =>
      server.request("POST", `/v1/billing/teams/${teamId}/prepaid/top-up`, { amount: { val } }),
    chat: (): Promise<Answer> => complete(server, apiKey),
    used: async (): Promise<Used> => ((await complete(server, apiKey)).body as { usage: Used }).usage,
  };
}

function complete(server: ManagedServer, key: string): Promise<Answer> {
  return server.request("POST", "/v1/completions", completionRequest, key);
}

describe("prepaid credit", () => {
  it("is available when a top-up returns, and the balance is the negative remainder with its changes", async () => {
    const { billing, topUp, used, credits, teamId, clock } = await world();
    expect((await billing("GET", "prepaid/balance")).body).toEqual({ changes: [], total: { val: "0" } });
    const bought = { teamId, changeOrigin: "PURCHASE", topupStatus: "SUCCEEDED", amount: { val: "-500" } };
    const noon = "2026-11-21T12:00:00.000000Z";
    expect(await topUp("500")).toEqual({ status: 200, body: { change: { ...bought, createTime: noon } } });
    const { cost_in_usd_ticks: cost } = await used();
    clock.advance(dayMs);
    await used();
    clock.advance(1);
    await credits.change("refund", teamId, { usd: "1.005", note: null }, cliActor);
    clock.advance(1);
    await credits.change("adjust", teamId, { usd: "-0.995", note: null }, cliActor);
    expect(cost).toBeLessThan(100_000_000);
    expect((await billing("GET", "prepaid/balance")).body).toEqual({
      changes: [
        { teamId, changeOrigin: "MANUAL", amount: { val: "100" }, createTime: "2026-11-22T12:00:00.002000Z" },
        { teamId, changeOrigin: "REFUND", amount: { val: "101" }, createTime: "2026-11-22T12:00:00.001000Z" },
        { teamId, changeOrigin: "SPEND", amount: { val: "1" }, createTime: "2026-11-22T00:00:00.000000Z" },
        { ...bought, createTime: noon },
        { teamId, changeOrigin: "SPEND", amount: { val: "1" }, createTime: "2026-11-21T00:00:00.000000Z" },
      ],
      total: { val: "-299" },
    });
  });

  it("shows no spending of a team that spends no credit", async () => {
    const server = await startManagedServer();
    expect((await complete(server, server.apiKey)).status).toBe(200);
    const [first] = await server.stores.teams.list();
    const answer = await server.request("GET", `/v1/billing/teams/${first?.id}/prepaid/balance`);
    expect(answer.body).toEqual({ changes: [], total: { val: "0" } });
  });

  it("cannot be topped up with a key for one team, by zero, or beyond the largest amount", async () => {
    const { billing, topUp } = await world();
    const refused = await billing("POST", "prepaid/top-up", { amount: { val: "500" } });
    expect(refused).toMatchObject({ status: 403, body: { code: 7 } });
    for (const val of ["0", "9007199254740991"])
      expect(await topUp(val)).toMatchObject({ status: 400, body: { message: /^amount must/ } });
    expect((await topUp("90071900")).status).toBe(200);
    expect(await topUp("90071900")).toMatchObject({ status: 400 });
  });
});

describe("spending limits", () => {
  it("are returned; a team sets only its own limit, the operator the other", async () => {
    const { billing, limits, teamId } = await world();
    const path = "postpaid/spending-limits";
    expect((await billing("GET", path)).body).toEqual({ spendingLimits: {} });
    expect((await billing("POST", path, { desired_soft_spending_limit: { val: 5000 } })).body).toEqual({
      thisBpSoftSpendingLimit: { val: "5000" },
    });
    const team = { id: "a team's own key", userId: "member", teamId };
    await expect(limits.change(teamId, { hard: "1" }, team)).rejects.toMatchObject({
      kind: "permission_denied",
    });
    await limits.change(teamId, { hard: "20.009" }, cliActor);
    const hard = { hardSlAuto: { val: "2000" }, effectiveHardSl: { val: "2000" } };
    expect((await billing("GET", path)).body).toEqual({
      spendingLimits: { ...hard, softSl: { val: "5000" }, effectiveSl: { val: "2000" } },
    });
    expect((await billing("POST", path, { desiredSoftSpendingLimit: null })).body).toEqual({});
    expect((await billing("GET", path)).body).toEqual({
      spendingLimits: { ...hard, effectiveSl: { val: "2000" } },
    });
  });

  it("apply from the next request to the end of the month", async () => {
    const { billing, topUp, chat, used, limits, teamId, clock } = await world();
    await topUp("500");
    const { cost_in_usd_ticks: spent } = await used();
    await billing("POST", "postpaid/spending-limits", { desiredSoftSpendingLimit: { val: "0" } });
    const refused = await chat();
    expect(refused.status).toBe(403);
    expect(JSON.stringify(refused.body)).toContain(
      `Your team ${teamId} has either used all available credits or reached its monthly spending limit. ` +
        "To continue making API requests, please have its limit raised",
    );
    const bounded = (ticks: number) => limits.change(teamId, { soft: ticksToUsd(BigInt(ticks)) }, cliActor);
    await bounded(spent + maxCostTicks - 1);
    expect((await chat()).status).toBe(403);
    await bounded(spent + maxCostTicks);
    expect((await chat()).status).toBe(200);
    await bounded(maxCostTicks);
    expect((await chat()).status).toBe(403);
    clock.advance(Date.UTC(2026, 11, 1) - clock.now());
    expect((await chat()).status).toBe(200);
  });
});

describe("the invoice preview", () => {
  it("returns this month's usage by model in cents", async () => {
    const { billing, topUp, used, limits, teamId, clock } = await world();
    await topUp("500");
    await used();
    clock.advance(Date.UTC(2026, 11, 2) - clock.now());
    const { total_tokens: tokens } = await used();
    await used();
    await limits.change(teamId, { hard: "7" }, cliActor);
    const line = {
      description: "hearth-tiny-5m",
      unitType: "tokens",
      numUnits: String(2 * tokens),
      amount: "1",
    };
    expect(await billing("GET", "postpaid/invoice/preview")).toEqual({
      status: 200,
      body: {
        coreInvoice: { lines: [line], amountBeforeVat: "1", vatCost: "0", amountAfterVat: "1" },
        effectiveSpendingLimit: "700",
        defaultCredits: { val: "0" },
        billingCycle: { year: 2026, month: 12 },
      },
    });
  });
});

describe("POST /v1/billing/teams/{teamId}/usage", () => {
  const request = (change: object = {}, range: object = {}) => ({
    analyticsRequest: {
      timeRange: {
        startTime: "2026-11-20 00:00:00",
        endTime: "2026-11-23 00:00:00",
        timezone: "Etc/GMT",
        ...range,
      },
      timeUnit: "TIME_UNIT_DAY",
      values: [{ name: "requests", aggregation: "AGGREGATION_SUM" }],
      groupBy: [],
      filters: [],
      ...change,
    },
  });
  const sum = (...names: readonly string[]) => ({
    values: names.map((name) => ({ name, aggregation: "AGGREGATION_SUM" })),
  });

  it("returns a point for every time unit, including those without usage", async () => {
    const { billing, topUp, used, clock } = await world();
    await topUp("500");
    const { cost_in_usd_ticks: cost, ...each } = await used();
    clock.advance(dayMs);
    await used();
    await used();
    const values = sum("usd", "requests", "tokens", "promptTokens", "completionTokens");
    const points = [0, 1, 2].map((runs) => [
      (runs * cost) / 1e10,
      ...[runs, runs * each.total_tokens, runs * each.prompt_tokens, runs * each.completion_tokens],
    ]);
    expect(await billing("POST", "usage", request(values))).toEqual({
      status: 200,
      body: {
        timeSeries: [
          {
            ...{ group: [], groupLabels: [] },
            dataPoints: points.map((received, day) => ({
              timestamp: `2026-11-2${day}T00:00:00.000000Z`,
              values: received.map((value) => expect.closeTo(value, 12) as number),
            })),
          },
        ],
        limitReached: false,
      },
    });
  });

  it.each<[unit: string, range: object, points: readonly (readonly [at: string, requests: number])[]]>([
    [
      "TIME_UNIT_HOUR",
      { startTime: "2026-11-21 11:30:00", endTime: "2026-11-21 13:00:01" },
      [
        ["2026-11-21T11", 0],
        ["2026-11-21T12", 1],
        ["2026-11-21T13", 0],
      ],
    ],
    [
      "TIME_UNIT_MONTH",
      { startTime: "2026-11-05 00:00:00", endTime: "2027-01-01 00:00:00" },
      [
        ["2026-11-01T00", 1],
        ["2026-12-01T00", 1],
      ],
    ],
    ["TIME_UNIT_NONE", { endTime: "2026-12-31 23:59:59" }, [["2026-11-20T00", 2]]],
    ["TIME_UNIT_DAY", { startTime: "2026-11-22 00:00:00" }, [["2026-11-22T00", 0]]],
  ])("returns points by %s for %j", async (timeUnit, range, points) => {
    const { billing, topUp, used, clock } = await world();
    await topUp("500");
    await used();
    clock.advance(Date.UTC(2026, 11, 31, 5) - clock.now());
    await used();
    const { body } = await billing("POST", "usage", request({ timeUnit }, range));
    const dataPoints = points.map(([at, requests]) => ({
      timestamp: `${at}:00:00.000000Z`,
      values: [requests],
    }));
    expect(body).toMatchObject({ timeSeries: [{ dataPoints }] });
  });

  it("groups by model and key, highest cost first, for this team only", async () => {
    const server = await world();
    const { billing, topUp, used, apiKeyId, teamId } = server;
    await topUp("500");
    const other = await server.createKey(teamId, { name: "desktop", acls: allAcls });
    await complete(server, other.apiKey);
    await used();
    await used();
    await complete(server, server.apiKey);
    const { body } = await billing("POST", "usage", request({ groupBy: ["description", "apiKeyId"] }));
    const series = (id: string, name: string, requests: number) => ({
      group: ["hearth-tiny-5m", id],
      groupLabels: ["hearth-tiny-5m", name],
      dataPoints: [{ values: [0] }, { values: [requests] }, { values: [0] }],
    });
    expect(body).toMatchObject({
      timeSeries: [series(apiKeyId, "laptop", 2), series(other.apiKeyId, "desktop", 1)],
    });
    const nobody = { timeSeries: [], limitReached: false };
    const before = { startTime: "2026-11-20 00:00:00", endTime: "2026-11-21 00:00:00" };
    expect((await billing("POST", "usage", request({ groupBy: ["description"] }, before))).body).toEqual(
      nobody,
    );
  });

  it.each<[field: string, change: object, range?: object]>([
    ["analyticsRequest.timeRange.startTime", {}, { startTime: "2026-02-30 00:00:00" }],
    ["analyticsRequest.timeRange.endTime", {}, { endTime: "2026-11-20 00:00:00" }],
    ["analyticsRequest.timeRange.timezone", {}, { timezone: "Europe/Berlin" }],
    ["analyticsRequest.timeRange", { timeUnit: "TIME_UNIT_HOUR" }, { startTime: "2020-01-01 00:00:00" }],
    ["analyticsRequest.timeUnit", { timeUnit: "TIME_UNIT_WEEK" }],
    ["analyticsRequest.values", { values: [] }],
    ["analyticsRequest.values.0.aggregation", { values: [{ name: "usd", aggregation: "AGGREGATION_AVG" }] }],
    ["analyticsRequest.values.0.name", sum("happiness")],
    ["analyticsRequest.groupBy", { groupBy: ["apiKeyId", "apiKeyId"] }],
    ["analyticsRequest.filters", { filters: ["apiKeyId:x"] }],
  ])("names the field %s of an unsupported request", async (field, change, range = {}) => {
    const { billing } = await world();
    const answer = await billing("POST", "usage", request(change, range));
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 3, message: expect.stringMatching(`^${field}: `) as string },
    });
  });
});
