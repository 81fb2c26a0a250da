import { describe, expect, it, vi } from "vitest";

import { type ManagedServer, startServer } from "../../../kit/server.js";
import { builtInModel } from "../../../kit/server/settings.js";
import { gate, until } from "../../../kit/until.js";
import { aSide, set, verified, type Side } from "../../management/accounts/budgeted.js";

const model = builtInModel;
const messages = [{ role: "user", content: "Hello" }];

interface Sent {
  readonly path?: string;
  readonly tags?: string;
  readonly body?: object;
}

async function send({ url }: ManagedServer, { secret }: Side, { path, tags, body }: Sent): Promise<Response> {
  return fetch(`${url}${path ?? "/v1/chat/completions"}`, {
    method: "POST",
    headers: {
      ...{ authorization: `Bearer ${secret}`, "content-type": "application/json" },
      ...(tags === undefined ? {} : { "x-hearth-tags": tags }),
    },
    body: JSON.stringify({ model, messages, max_tokens: 4, ...body }),
  });
}

/** Returns the number of requests of each group. */
async function requestsBy(server: ManagedServer, { teamId }: Side, change: object): Promise<object> {
  const analyticsRequest = {
    timeRange: { startTime: "2026-11-01 00:00:00", endTime: "2026-12-01 00:00:00" },
    timeUnit: "TIME_UNIT_NONE",
    values: [{ name: "requests", aggregation: "AGGREGATION_SUM" }],
    ...change,
  };
  const { status, body } = await server.request("POST", `/v1/billing/teams/${teamId}/usage`, {
    analyticsRequest,
  });
  expect(status, JSON.stringify(body)).toBe(200);
  const { timeSeries } = body as {
    timeSeries: readonly { group: readonly string[]; dataPoints: readonly { values: readonly number[] }[] }[];
  };
  return Object.fromEntries(
    timeSeries.map(({ group, dataPoints }) => [group.join(), dataPoints[0]?.values[0]]),
  );
}

async function served() {
  const server = await startServer({ accounts: "managed" });
  return { server, side: await aSide(server) };
}

describe("usage by tag and end user", () => {
  it("counts a request for each tag of its header and its metadata, and for its end user", async () => {
    const { server, side } = await served();
    const metadata = { project: "atlas", note: "x".repeat(200) };
    await send(server, side, { tags: " project-x, env:prod,project-x,", body: { metadata, user: "ada" } });
    await send(server, side, { tags: "env:prod", body: { safety_identifier: "bob" } });
    await send(server, side, { path: "/v1/messages", body: { metadata: { user_id: "ada" } } });
    await send(server, side, {
      path: "/v1/responses",
      body: { input: "Hello", metadata: { project: "atlas" } },
    });
    await send(server, side, {});
    expect(await requestsBy(server, side, { groupBy: ["tag"] })).toEqual({
      ...{ "project-x": 1, "env:prod": 2, "project:atlas": 2 },
    });
    expect(await requestsBy(server, side, { groupBy: ["endUser"] })).toEqual({ ada: 2, bob: 1 });
    expect(await requestsBy(server, side, { groupBy: ["apiKeyId"], tag: "env:prod" })).toEqual({
      [side.keyId]: 2,
    });
    expect(await requestsBy(server, side, { groupBy: ["description"], endUser: "ada" })).toEqual({
      [model]: 2,
    });
    expect(await requestsBy(server, side, {})).toEqual({ "": 5 });
    await verified(server);
  });

  it("of a request with store: false counts the tags of its header and its end user, and records no metadata", async () => {
    const { server, side } = await served();
    const body = { store: false, user: "ada", metadata: { project: "atlas" } };
    await send(server, side, { tags: "env:prod", body });
    expect(await requestsBy(server, side, { groupBy: ["tag"] })).toEqual({ "env:prod": 1 });
    expect(await requestsBy(server, side, { groupBy: ["endUser"] })).toEqual({ ada: 1 });
    const rows = await server.database.kysely.selectFrom("runLabels").selectAll().execute();
    expect(rows).toMatchObject([{ labels: "{}", subjects: ["tag:env:prod", "user:ada"] }]);
  });

  it("masks a key that a client has put into a tag or a user", async () => {
    const { server, side } = await served();
    await send(server, side, { tags: `key ${side.secret}`, body: { user: side.secret } });
    const [row] = await server.database.kysely.selectFrom("runLabels").selectAll().execute();
    expect(row?.subjects[0]).toMatch(/^tag:key /);
    expect(JSON.stringify(row)).not.toContain(side.secret);
  });

  it("counts the work that nobody waits for with the tags of its request", async () => {
    const { server, side } = await served();
    const path = "/v1/responses";
    await send(server, side, {
      path,
      tags: "night",
      body: { input: "Hello", background: true, user: "ada" },
    });
    await send(server, side, { tags: "night", body: { deferred: true } });
    await vi.waitUntil(
      async () => {
        const counted = await requestsBy(server, side, { groupBy: ["tag"] });
        return JSON.stringify(counted) === JSON.stringify({ night: 2 });
      },
      { timeout: 20_000 },
    );
    expect(await requestsBy(server, side, { groupBy: ["endUser"] })).toEqual({ ada: 1 });
  });

  it("refuses a report over tags and end users together", async () => {
    const { server, side } = await served();
    const analyticsRequest = {
      timeRange: { startTime: "2026-11-01 00:00:00", endTime: "2026-12-01 00:00:00" },
      timeUnit: "TIME_UNIT_NONE",
      values: [{ name: "usd", aggregation: "AGGREGATION_SUM" }],
    };
    const path = `/v1/billing/teams/${side.teamId}/usage`;
    for (const change of [{ groupBy: ["tag", "endUser"] }, { groupBy: ["tag"], endUser: "ada" }]) {
      const { status, body } = await server.request("POST", path, {
        analyticsRequest: { ...analyticsRequest, ...change },
      });
      expect([status, (body as { message: string }).message]).toEqual([
        ...[400, "groupBy cannot combine tags with end users."],
      ]);
    }
  });
});

it.each([
  ["too many tags", Array.from({ length: 17 }, (_, at) => `tag-${at}`).join(), "must have at most 16 tags"],
  ["a long tag", "x".repeat(129), "must have tags of at most 128 characters"],
  ["other characters", "caf\u00e9", "must have printable ASCII characters only"],
  ["the tag of all others", "a, *", "must not have the tag *, which stands for all that are not counted"],
])("x-hearth-tags with %s answers 400 by its name", async (_, tags, reason) => {
  const { server, side } = await served();
  const response = await send(server, side, { tags });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    error: { message: `x-hearth-tags: ${reason}`, param: "x-hearth-tags" },
  });
});

describe("a budget of a tag or an end user", () => {
  it.each([
    ["tag", { tag: "project-x" }, { tags: "project-x, other" }],
    ["end user", { endUser: "ada" }, { body: { user: "ada" } }],
  ] as const)(
    "F14: of a %s that covers ten of 100 parallel requests admits ten, and the books balance",
    async (_, subject, sent) => {
      const held = gate();
      const server = await startServer({
        accounts: "managed",
        engine: () => ["a", held.opened, " b"],
        slots: 100,
      });
      const side = await aSide(server);
      const request = { path: "/v1/completions", ...sent };
      const body = { ...("body" in sent ? sent.body : {}), prompt: "one two three" };
      await set(server, side, { ...subject, period: "day", budget: { hardTokens: "76" } });
      let answered = 0;
      const ask = () => send(server, side, { ...request, body }).finally(() => (answered += 1));
      const answers = Promise.all(Array.from({ length: 100 }, ask));
      await until(() => answered === 90);
      held.open();
      const statuses = (await answers).map(({ status }) => status).toSorted();
      expect(statuses).toEqual([...Array<number>(10).fill(200), ...Array<number>(90).fill(429)]);
      const [row] = await server.database.kysely.selectFrom("budgetPeriods").selectAll().execute();
      expect(row).toMatchObject({ spentTokens: 50, reservedTicks: 0, reservedTokens: 0 });
      await verified(server);
    },
  );

  it("counts what its period has used, warns, refuses with the moment of reset, and holds for no other label", async () => {
    const { server, side } = await served();
    const path = "/v1/completions";
    const body = { prompt: "one two three", user: "ada" };
    await send(server, side, { path, tags: "project-x", body });
    const created = await set(server, side, {
      ...{ tag: "project-x", period: "day", budget: { softTokens: 5, hardTokens: 10 } },
    });
    expect(created.body).toMatchObject({ budget: { tag: "project-x", spentTokens: "5", period: "day" } });
    const warned = await send(server, side, { path, tags: "project-x", body: { ...body, max_tokens: 2 } });
    expect(warned.status).toBe(200);
    expect(warned.headers.get("x-hearth-budget-warning")).toBe(
      "daily budget of the tag 'project-x': 5 of 10 tokens spent; resets at 2026-11-22T00:00:00Z",
    );
    const refused = await send(server, side, { path, tags: "project-x", body });
    expect(refused.status).toBe(429);
    expect(((await refused.json()) as { error: { message: string } }).error.message).toBe(
      "Budget exceeded: 10 tokens of the daily budget of the tag 'project-x', 10 tokens, are used. It resets at 2026-11-22T00:00:00Z.",
    );
    expect((await send(server, side, { path, tags: "other", body })).status).toBe(200);
    const list = await server.request("GET", `/auth/teams/${side.teamId}/budgets?tag=project-x`);
    expect(list.body).toMatchObject({ budgets: [{ tag: "project-x", spentTokens: "10" }] });
    await verified(server);
  });

  it.each([
    [{ tag: "a", endUser: "b" }, "endUser: cannot be set with tag"],
    [{ tag: "x".repeat(129) }, "tag must have 1 to 128 characters."],
    [{ endUser: " ada" }, "endUser must not have control characters, nor spaces around it."],
    [{ tag: "*" }, "tag must not be *."],
  ])("is refused for %j", async (subject, message) => {
    const { server, side } = await served();
    const { status, body } = await set(server, side, {
      ...subject,
      period: "day",
      budget: { hardTokens: 1 },
    });
    expect([status, (body as { message: string }).message]).toEqual([400, message]);
  });
});

it("GET /v1/api-key returns what its key has spent today, this month and in total, and what is left of its budgets", async () => {
  const { server, side } = await served();
  const path = "/v1/completions";
  const body = { prompt: "one two three" };
  await send(server, side, { path, body });
  server.clock.jump(86_400_000);
  await send(server, side, { path, body });
  server.clock.jump(86_400_000);
  await set(server, side, { apiKeyId: side.keyId, period: "month", budget: { hardTokens: 40 } });
  await set(server, side, { tag: "x", period: "total", budget: { hardTokens: 7 } });
  await send(server, side, { path, body });
  const response = await fetch(`${server.url}/v1/api-key`, {
    headers: { authorization: `Bearer ${side.secret}`, "x-hearth-tags": "x" },
  });
  expect(await response.json()).toMatchObject({
    spent_today: { start_time: "2026-11-23T00:00:00.000000Z", requests: 1, tokens: 5 },
    spent_this_month: { start_time: "2026-11-01T00:00:00.000000Z", requests: 3, tokens: 15 },
    spent_total: { start_time: "2026-11-21T12:00:00.000000Z", requests: 3, tokens: 15 },
    budgets: [
      { subject: "key", left_tokens: 25, reset_time: "2026-12-01T00:00:00.000000Z" },
      { subject: "tag", name: "x", left_tokens: 7, reset_time: null },
    ],
  });
});
