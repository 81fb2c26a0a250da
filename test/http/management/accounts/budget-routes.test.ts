import { describe, expect, it } from "vitest";
import { aSide, complete, set, verified } from "./budgeted.js";
import { signInOwner } from "../../console/pages.js";
import { startServer, fileServer } from "../../../kit/server.js";
import { allAcls } from "../../../kit/server/management.js";

const shared = fileServer({ accounts: "managed" });

describe("PUT and GET /auth/teams/{teamId}/budgets", () => {
  it("set, change, list in pages and remove budgets, each in the audit log", async () => {
    const server = shared();
    const side = await aSide(server);
    const { keyId, teamId } = side;
    const made = await set(server, side, { apiKeyId: keyId, period: "week", budget: { hardUsd: "12.50" } });
    expect(made).toEqual({
      status: 200,
      body: {
        budget: {
          apiKeyId: keyId,
          teamId,
          period: "week",
          hardUsd: "12.50",
          createTime: "2026-11-21T12:00:00.000000Z",
          startTime: "2026-11-16T00:00:00.000000Z",
          resetTime: "2026-11-23T00:00:00.000000Z",
          spentUsd: "0.00",
          spentTokens: "0",
          reservedUsd: "0.00",
          reservedTokens: "0",
        },
      },
    });
    await set(server, side, { apiKeyId: keyId, period: "week", budget: { softTokens: "7" } });
    await set(server, side, { period: "total", budget: { hardTokens: 9 } });
    const path = `/auth/teams/${teamId}/budgets`;
    const first = (await server.request("GET", `${path}?pageSize=1`)).body as {
      readonly budgets: readonly object[];
      readonly paginationToken: string;
    };
    const rest = (await server.request("GET", `${path}?paginationToken=${first.paginationToken}`)).body as {
      readonly budgets: readonly object[];
    };
    const all = [...first.budgets, ...rest.budgets];
    expect(all).toHaveLength(2);
    expect(all).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ apiKeyId: keyId, hardUsd: "12.50", softTokens: "7" }),
        expect.objectContaining({ period: "total", hardTokens: "9" }),
      ]),
    );
    expect((await server.request("GET", `${path}?apiKeyId=${keyId}`)).body).toMatchObject({
      budgets: [{ apiKeyId: keyId }],
    });
    const other = (await server.createKey(teamId)).apiKeyId;
    await set(server, side, { apiKeyId: other, period: "day", budget: { hardTokens: 9 } });
    expect((await server.request("GET", `${path}?apiKeyIds=${other},${keyId},unknown`)).body).toMatchObject({
      budgets: expect.arrayContaining([
        expect.objectContaining({ apiKeyId: keyId }),
        expect.objectContaining({ apiKeyId: other }),
      ]) as unknown,
    });
    expect((await server.request("GET", `${path}?apiKeyIds=${other}`)).body).toMatchObject({
      budgets: [{ apiKeyId: other }],
    });
    for (const wrong of [`apiKeyIds=${other}&apiKeyId=${keyId}`, `apiKeyIds=${"a,".repeat(200)}a`])
      expect(await server.request("GET", `${path}?${wrong}`)).toMatchObject({
        status: 400,
        body: { message: expect.stringMatching(/^apiKeyIds: /) as string },
      });
    const cleared = { apiKeyId: keyId, period: "week", fieldMask: "hardUsd,softTokens" };
    expect(await set(server, side, cleared)).toEqual({ status: 200, body: {} });
    expect((await server.request("GET", `${path}?apiKeyId=${keyId}`)).body).toEqual({ budgets: [] });
    const log = await server.request("GET", `/audit/teams/${teamId}/events?orderBy=TIME_DESCENDING`);
    const { events } = log.body as { readonly events: readonly { readonly description: string }[] };
    const described = events.map(({ description }) => description);
    expect(described).toContain("Set the weekly budget of the API key 'laptop'");
  });

  it("list to a member those of the team, of the member and of the member's keys", async () => {
    const server = shared();
    const side = await aSide(server);
    const { teamId } = side;
    const memberId = await server.createMember(teamId, { role: "member" });
    const secret = await server.createManagementKey({ teamId, memberId });
    const path = `/auth/teams/${teamId}`;
    const created = await server.request("POST", `${path}/api-keys`, { name: "own" }, secret);
    const { apiKeyId } = created.body as { apiKeyId: string };
    for (const subject of [{ apiKeyId }, { apiKeyId: side.keyId }, { memberId }, {}])
      await set(server, side, { ...subject, period: "day", budget: { hardTokens: 9 } });
    const subjects = async (credential?: string) => {
      const { budgets } = (await server.request("GET", `${path}/budgets`, undefined, credential)).body as {
        budgets: readonly { apiKeyId?: string; memberId?: string }[];
      };
      return budgets.map((budget) => budget.apiKeyId ?? budget.memberId ?? "team").toSorted();
    };
    expect(await subjects(secret)).toEqual([apiKeyId, memberId, "team"].toSorted());
    expect(await subjects()).toHaveLength(4);
  });

  it("a key that is deleted takes its budgets along", async () => {
    // The test reads the budgets of all teams.
    const server = await startServer({ accounts: "managed" });
    const side = await aSide(server);
    await set(server, side, { apiKeyId: side.keyId, period: "day", budget: { hardTokens: 9 } });
    await complete(server, side);
    await server.request("DELETE", `/auth/api-keys/${side.keyId}`);
    expect(await server.database.kysely.selectFrom("budgets").selectAll().execute()).toEqual([]);
    expect(await server.database.kysely.selectFrom("budgetPeriods").selectAll().execute()).toEqual([]);
    await verified(server);
  });

  it("a management key of one team sets budgets of its keys and members, not that of the team, and none elsewhere", async () => {
    const server = shared();
    const [side, other] = [await aSide(server), await aSide(server)];
    const manager = await server.createManagementKey({ teamId: side.teamId });
    const budget = { hardTokens: 9 };
    const change = { apiKeyId: side.keyId, period: "day", budget };
    expect((await set(server, side, change, manager)).status).toBe(200);
    expect((await set(server, side, { period: "day", budget }, manager)).status).toBe(403);
    expect((await set(server, side, { ...change, apiKeyId: other.keyId }, manager)).status).toBe(404);
    expect((await set(server, other, { ...change, apiKeyId: other.keyId }, manager)).status).toBe(404);
    expect((await set(server, side, { ...change, memberId: "x" }, manager)).status).toBe(400);
  });

  it("a management key of one team cannot change a budget by another kind of name, nor that of a member who is not its team's", async () => {
    // A server has one first owner.
    const server = await startServer({ accounts: "managed" });
    const side = await aSide(server);
    const manager = await server.createManagementKey({ teamId: side.teamId });
    await signInOwner(server);
    const [owner] = await server.stores.members.list();
    const memberId = owner?.id;
    for (const which of [{}, { memberId }, { apiKeyId: side.keyId }]) {
      const change = { ...which, period: "day", budget: { hardTokens: 9 } };
      expect((await set(server, side, change)).status).toBe(200);
    }
    const before = await server.database.kysely.selectFrom("budgets").selectAll().execute();
    const budget = { hardTokens: 99_999 };
    for (const which of [
      { memberId: side.teamId },
      { apiKeyId: side.teamId },
      { memberId: side.keyId },
      { memberId },
    ]) {
      const { status } = await set(server, side, { ...which, period: "day", budget }, manager);
      expect([which, status]).toEqual([which, 404]);
    }
    expect(await server.database.kysely.selectFrom("budgets").selectAll().execute()).toEqual(before);
  });

  it("a member with the role 'member' sees the budgets of their own keys, and none of others' keys", async () => {
    const server = shared();
    const side = await aSide(server);
    const memberId = await server.createMember(side.teamId, { role: "member" });
    const manager = await server.createManagementKey({ teamId: side.teamId, memberId });
    const path = `/auth/teams/${side.teamId}`;
    const own = await server.request("POST", `${path}/api-keys`, { name: "own", acls: allAcls }, manager);
    const { apiKeyId } = own.body as { apiKeyId: string };
    for (const which of [{ apiKeyId: side.keyId }, { apiKeyId }, {}])
      await set(server, side, { ...which, period: "day", budget: { hardTokens: 9 } });
    const seenBy = async (query: string, credential?: string) => {
      const { body } = await server.request("GET", `${path}/budgets${query}`, undefined, credential);
      return (body as { readonly budgets: readonly { readonly apiKeyId?: string }[] }).budgets
        .map((budget) => budget.apiKeyId ?? "team")
        .toSorted();
    };
    expect(await seenBy("")).toEqual([side.keyId, apiKeyId, "team"].toSorted());
    expect(await seenBy("", manager)).toEqual([apiKeyId, "team"].toSorted());
    expect(await seenBy("?pageSize=1", manager)).toHaveLength(1);
    expect(await seenBy(`?apiKeyId=${side.keyId}`, manager)).toEqual([]);
  });

  it("the budget of a member who was removed can be changed, and no new one can be set", async () => {
    const server = shared();
    const side = await aSide(server);
    const memberId = await server.createMember(side.teamId);
    await set(server, side, { memberId, period: "day", budget: { hardTokens: 9 } });
    await server.request("DELETE", `/auth/members/${memberId}`);
    const changed = await set(server, side, { memberId, period: "day", budget: { hardTokens: 7 } });
    expect(changed).toMatchObject({ status: 200, body: { budget: { memberId, hardTokens: "7" } } });
    const further = await set(server, side, { memberId, period: "week", budget: { hardTokens: 7 } });
    expect(further.status).toBe(404);
  });

  it.each([
    [{ period: "day", budget: { hardUsd: "-1" } }, "hardUsd"],
    [{ period: "day", budget: { hardUsd: "1", softUsd: "2" } }, "softUsd"],
    [{ period: "day", budget: { hardTokens: 1, softTokens: 2 } }, "softTokens"],
    [{ period: "year", budget: { hardTokens: 1 } }, "period"],
    [{ period: "day", budget: { hardTokens: -1 } }, "budget.hardTokens"],
    [{ period: "day", budget: {}, fieldMask: "spentUsd" }, "fieldMask"],
  ])("%j is refused, naming %s", async (body, field) => {
    const server = shared();
    const { status, body: answer } = await set(server, await aSide(server), body);
    expect(status).toBe(400);
    expect((answer as { readonly message: string }).message).toContain(field);
  });
});
