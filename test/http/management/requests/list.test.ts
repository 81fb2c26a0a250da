import { describe, expect, it } from "vitest";
import type { MemberRole } from "../../../../src/accounts/principals/member.js";
import { allAcls } from "../../../kit/server/management.js";
import { builtInModel } from "../../../kit/server/settings.js";
import { gate, until } from "../../../kit/until.js";
import { startServer } from "../../../kit/server.js";
import { aTeam, ask, chat, list, statuses, type Page } from "./logged.js";

describe("GET /admin/requests", () => {
  it("lists what became of a request: key, model, times, tokens and cost", async () => {
    const server = await startServer({ accounts: "managed" });
    const { teamId, apiKey, apiKeyId } = await aTeam(server);
    const answer = await ask(server, apiKey);
    const { id, usage } = answer.body as { id: string; usage: { cost_in_usd_ticks: number } };
    const { requests } = await list(server);
    const time = new Date(server.clock.now()).toISOString().replace("Z", "000Z");
    expect(requests).toEqual([
      {
        id,
        requestId: expect.any(String) as string,
        teamId,
        apiKeyId,
        apiKeyName: "laptop",
        model: builtInModel,
        requestedModel: builtInModel,
        endpoint: "/v1/chat/completions",
        streamed: false,
        status: "completed",
        finishReason: "stop",
        createTime: time,
        startTime: time,
        firstTokenTime: time,
        endTime: time,
        promptTokens: expect.any(Number) as number,
        cachedTokens: 0,
        completionTokens: 2,
        reasoningTokens: 0,
        images: 0,
        costUsd: `0.${String(usage.cost_in_usd_ticks).padStart(10, "0")}`.replace(/0{1,8}$/, ""),
      },
    ]);
    expect((await server.request("GET", `/admin/requests/${id}`)).body).toEqual(requests[0]);
  });

  it("lists a request with the kind of the error that ended it", async () => {
    const server = await startServer({
      accounts: "managed",
      engine: () => ["Good", new Error("out of luck")],
    });
    const { apiKey } = await aTeam(server);
    expect((await ask(server, apiKey)).status).toBe(500);
    expect((await list(server)).requests).toMatchObject([{ status: "failed", errorKind: "internal" }]);
  });

  it("lists requests that wait for a slot and those that run, with what they have used so far", async () => {
    const held = gate();
    const server = await startServer({ accounts: "managed", engine: () => ["Good", held.opened], slots: 1 });
    const { apiKey } = await aTeam(server);
    const first = ask(server, apiKey, { ...chat, stream: true });
    await until(() => server.app.scheduler.load.running === 1);
    server.clock.advance(1000);
    const second = ask(server, apiKey);
    await until(() => server.app.scheduler.load.waiting === 1);
    const { requests } = await list(server);
    expect(requests).toMatchObject([
      { status: "queued", completionTokens: 0, costUsd: "0.00" },
      { status: "running", completionTokens: 1, streamed: true },
    ]);
    expect(requests[0]).not.toHaveProperty("startTime");
    expect(requests[1]).not.toHaveProperty("endTime");
    for (const status of ["queued", "running"])
      expect(statuses(await list(server, `?status=${status}`))).toEqual([status]);
    const found = await server.request("GET", `/admin/requests/${requests[0]?.id ?? ""}`);
    expect(found.body).toEqual(requests[0]);
    held.open();
    await Promise.all([first.catch(() => undefined), second]);
    await until(() => server.app.liveRuns.size === 0);
    expect((await list(server)).requests.map(({ id, status }) => [id, status])).toEqual(
      requests.map(({ id }) => [id, "completed"]),
    );
  });

  it("filters by team, key, model, state and time", async () => {
    const server = await startServer({ accounts: "managed" });
    const [ours, theirs] = [await aTeam(server), await aTeam(server)];
    await ask(server, ours.apiKey);
    const later = new Date(server.clock.now() + 1000).toISOString();
    server.clock.advance(1000);
    await ask(server, theirs.apiKey);
    const teams = async (query: string) =>
      (await list(server, query)).requests.map(({ teamId }) => (teamId === ours.teamId ? "ours" : "theirs"));
    expect(await teams("")).toEqual(["theirs", "ours"]);
    expect(await teams(`?teamId=${ours.teamId}`)).toEqual(["ours"]);
    expect(await teams(`?apiKeyId=${theirs.apiKeyId}`)).toEqual(["theirs"]);
    expect(await teams(`?teamId=${ours.teamId}&apiKeyId=${theirs.apiKeyId}`)).toEqual([]);
    expect(await teams(`?model=${builtInModel}&status=completed`)).toEqual(["theirs", "ours"]);
    expect(await teams("?model=other")).toEqual([]);
    expect(await teams("?status=aborted")).toEqual([]);
    expect(await teams(`?since=${later}`)).toEqual(["theirs"]);
    expect(await teams(`?until=${later}`)).toEqual(["ours"]);
  });

  it("finds an end user, a tag and the kind of an error, of requests that wait and of those that have ended", async () => {
    const held = gate();
    const server = await startServer({
      accounts: "managed",
      engine: (prompt) => (prompt.includes("fail") ? [new Error("out of luck")] : [held.opened, "Good"]),
      slots: 1,
    });
    const { apiKey } = await aTeam(server);
    const labelled = (labels: object, content = "Hello") =>
      server.request(
        "POST",
        "/v1/chat/completions",
        { model: builtInModel, messages: [{ role: "user", content }], ...labels },
        apiKey,
      );
    const first = labelled({ user: "Olga", metadata: { project: "Atlas" } });
    await until(() => server.app.scheduler.load.running === 1);
    const second = labelled({ safety_identifier: "user-bob" });
    await until(() => server.app.scheduler.load.waiting === 1);
    const count = async (text: string) =>
      (await list(server, `?query=${encodeURIComponent(text)}`)).requests.length;
    const counts = async () => {
      const found = [];
      for (const text of ["OLGA", "project:atlas", "atlas", "user-b", "user", "tag", "nobody"])
        found.push(await count(text));
      return found;
    };
    expect(await counts()).toEqual([1, 1, 1, 1, 1, 0, 0]);
    held.open();
    await Promise.all([first, second]);
    expect(await counts()).toEqual([1, 1, 1, 1, 1, 0, 0]);
    await labelled({}, "fail");
    expect(await count("internal")).toBe(1);
  });

  it("finds a text in IDs, model, endpoint and name of the key, of requests that wait and of those that have ended", async () => {
    const held = gate();
    const server = await startServer({ accounts: "managed", engine: () => [held.opened, "Good"], slots: 1 });
    const { teamId, apiKey } = await aTeam(server);
    const other = await server.createKey(teamId, { acls: allAcls, name: "Nightly 100%_report" });
    const first = ask(server, other.apiKey);
    await until(() => server.app.scheduler.load.running === 1);
    server.clock.advance(1000);
    const second = ask(server, apiKey);
    await until(() => server.app.scheduler.load.waiting === 1);
    const names = async (text: string) =>
      (await list(server, `?query=${encodeURIComponent(text)}`)).requests.map(({ apiKeyName }) => apiKeyName);
    for (const isEnded of [false, true]) {
      if (isEnded) {
        held.open();
        await Promise.all([first, second]);
      }
      expect(await names("nightly 100%_")).toEqual(["Nightly 100%_report"]);
      expect(await names("100__")).toEqual([]);
      expect(await names("LAPTOP")).toEqual(["laptop"]);
      expect(await names(builtInModel.slice(2, 8).toUpperCase())).toEqual(["laptop", "Nightly 100%_report"]);
      expect(await names("chat/compl")).toEqual(["laptop", "Nightly 100%_report"]);
      const [newest] = (await list(server)).requests;
      expect(await names(newest?.id ?? "none")).toEqual(["laptop"]);
      expect(await names(String(newest?.["requestId"]))).toEqual(["laptop"]);
    }
    const tooLong = await server.request("GET", `/admin/requests?query=${"a".repeat(201)}`);
    expect(tooLong).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining("query") as string },
    });
  });

  it("pages without repeating or losing a request while new ones come and old ones end", async () => {
    const server = await startServer({ accounts: "managed" });
    const { apiKey } = await aTeam(server);
    for (let count = 0; count < 5; count += 1) await ask(server, apiKey);
    const all = (await list(server)).requests.map(({ id }) => id);
    const seen: string[] = [];
    let token: string | undefined = "";
    while (token !== undefined) {
      const page: Page = await list(server, `?pageSize=2&paginationToken=${token}`);
      seen.push(...page.requests.map(({ id }) => id));
      token = page.paginationToken;
      await ask(server, apiKey);
      server.clock.advance(1);
    }
    expect(seen).toEqual(all);
  });

  it("leads through filtered pages with a token although a page is empty", async () => {
    const server = await startServer({ accounts: "managed" });
    const { apiKey, teamId, apiKeyId } = await aTeam(server);
    await ask(server, apiKey);
    const [logged] = (await list(server)).requests;
    const { kysely } = server.database;
    const row = await kysely.selectFrom("runs").selectAll().executeTakeFirstOrThrow();
    const others = Array.from({ length: 6000 }, (_, at) => ({
      ...{
        ...row,
        id: `run-${String(at)}`,
        teamId,
        apiKeyId,
        model: "other",
        askedModel: "other",
      },
      ...{ createTime: row.createTime + 1 + at, priceId: null, costTicks: 0 },
    }));
    for (let at = 0; at < others.length; at += 500)
      await kysely
        .insertInto("runs")
        .values(others.slice(at, at + 500))
        .execute();
    const first = await list(server, `?model=${builtInModel}`);
    expect(first.requests).toEqual([]);
    const next = await list(server, `?model=${builtInModel}&paginationToken=${first.paginationToken ?? ""}`);
    expect(next).toEqual({ requests: [logged] });
  });

  it("E13: shows a team its own requests, and a member those of keys of their own", async () => {
    const server = await startServer({ accounts: "managed" });
    const [ours, theirs] = [await aTeam(server), await aTeam(server)];
    await ask(server, theirs.apiKey);
    await ask(server, ours.apiKey);
    const memberOf = async (role: MemberRole) => {
      const memberId = await server.createMember(ours.teamId, { role });
      return server.createManagementKey({ teamId: ours.teamId, memberId });
    };
    const [admin, member] = [await memberOf("admin"), await memberOf("member")];
    const path = `/auth/teams/${ours.teamId}/api-keys`;
    const own = (await server.request("POST", path, { name: "own", acls: allAcls }, member)).body as {
      apiKey: string;
    };
    await ask(server, own.apiKey);
    const [byMember, byTeam, byOther] = (await list(server)).requests;
    const ids = async (credential: string) =>
      (await list(server, "", credential)).requests.map(({ id }) => id);
    for (const credential of [ours.manager, admin])
      expect(await ids(credential)).toEqual([byMember?.id, byTeam?.id]);
    expect(await ids(member)).toEqual([byMember?.id]);
    expect(await ids(theirs.manager)).toEqual([byOther?.id]);
    const hidden = [
      [member, byTeam],
      [ours.manager, byOther],
    ] as const;
    for (const [credential, logged] of hidden)
      for (const [method, suffix] of [
        ["GET", ""],
        ["POST", "/cancel"],
      ] as const)
        expect(
          await server.request(method, `/admin/requests/${logged?.id ?? ""}${suffix}`, undefined, credential),
        ).toMatchObject({ status: 404, body: { code: 5, message: "Cannot find run" } });
    const other = await server.request("GET", `/admin/requests?teamId=${theirs.teamId}`, undefined, admin);
    expect(other).toMatchObject({ status: 404, body: { message: "Cannot find team" } });
  });
});
