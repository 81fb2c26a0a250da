import { describe, expect, it } from "vitest";
import { allAcls, dayMs } from "../../../kit/server/management.js";
import { world, complete } from "./world.js";

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
    clock.jump(dayMs);
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
    clock.jump(Date.UTC(2026, 11, 31, 5) - clock.now());
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

  it("sums all groups but the highest in a series without a group", async () => {
    const server = await world();
    const { billing, topUp, used, apiKeyId, teamId } = server;
    await topUp("500");
    await used();
    await used();
    for (const name of ["desktop", "phone"]) {
      const { apiKey } = await server.createKey(teamId, { name, acls: allAcls });
      await complete(server, apiKey);
    }
    const highest = { groupBy: ["apiKeyId"], topMax: 1, timeUnit: "TIME_UNIT_NONE" };
    const { body } = await billing("POST", "usage", request(highest));
    expect(body).toEqual({
      timeSeries: [
        {
          group: [apiKeyId],
          groupLabels: ["laptop"],
          dataPoints: [expect.objectContaining({ values: [2] })],
        },
        { group: [], groupLabels: [], dataPoints: [expect.objectContaining({ values: [2] })] },
      ],
      limitReached: false,
    });
  });

  it("groups by member, and gives a member the usage of their own keys only", async () => {
    const server = await world();
    const { billing, topUp, used, teamId } = server;
    await topUp("500");
    await used();
    await used();
    const memberId = await server.createMember(teamId, { email: "ada@example.com", role: "member" });
    const secret = await server.createManagementKey({ teamId, memberId });
    const created = await server.request(
      "POST",
      `/auth/teams/${teamId}/api-keys`,
      { name: "own", acls: allAcls },
      secret,
    );
    await complete(server, (created.body as { apiKey: string }).apiKey);
    const groupsOf = async (credential: string | undefined, ...groupBy: readonly string[]) => {
      const asked = request({ groupBy, timeUnit: "TIME_UNIT_NONE" });
      const { timeSeries } = (await billing("POST", "usage", asked, credential)).body as {
        timeSeries: readonly {
          groupLabels: readonly string[];
          dataPoints: readonly { values: readonly number[] }[];
        }[];
      };
      return timeSeries.map(({ groupLabels, dataPoints }) => [groupLabels[0], dataPoints[0]?.values[0]]);
    };
    expect(await groupsOf(undefined, "memberId")).toEqual([
      [expect.any(String), 2],
      ["ada@example.com", 1],
    ]);
    expect(await groupsOf(secret, "memberId")).toEqual([["ada@example.com", 1]]);
    expect(await groupsOf(secret, "description")).toEqual([["hearth-tiny-5m", 1]]);
    expect(await groupsOf(secret)).toEqual([[undefined, 1]]);
  });

  it.each<[field: string, change: object, range?: object]>([
    ["analyticsRequest.topMax", { topMax: 3 }],
    ["analyticsRequest.topMax", { topMax: 0, groupBy: ["apiKeyId"] }],
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
