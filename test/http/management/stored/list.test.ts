import { describe, expect, it } from "vitest";
import { allAcls } from "../../../kit/server/management.js";
import { builtInModel } from "../../../kit/server/settings.js";
import { fileServer } from "../../../kit/server.js";
import { eventually } from "../../../kit/until.js";
import { kinds, createStoringTeam, uploadFile, type Page, type StoredTeam } from "./stored.js";

const shared = fileServer({ accounts: "managed" });

const userId = expect.any(String) as string;

/** Waits until no job is left. */
async function whenIdle({ server }: StoredTeam): Promise<void> {
  await eventually(async () => {
    expect(await server.database.kysely.selectFrom("jobs").selectAll().execute()).toEqual([]);
    const open = server.database.kysely.selectFrom("batches").selectAll().where("endTime", "is", null);
    expect(await open.execute()).toEqual([]);
  });
}

describe("GET /admin/teams/{teamId}/...", () => {
  it("lists what a team has stored, with its state, model, sizes and times, without its content", async () => {
    const team = await createStoringTeam(shared());
    const { server, teamId, list } = team;
    const ids = new Map<string, string>();
    for (const kind of kinds) ids.set(kind, await team.create(kind));
    await whenIdle(team);
    const createTime = new Date(server.clock.now()).toISOString().replace("Z", "000Z");
    const time = expect.any(String) as string;
    const expected = {
      "deferred-completions": { state: "done", model: builtInModel, expireTime: time, canCancel: false },
      responses: { state: "completed", background: false, model: builtInModel, expireTime: time },
      "chat-completions": { model: builtInModel, expireTime: time },
      batches: {
        state: "completed",
        endpoint: "/v1/messages",
        bytes: expect.any(Number) as number,
        lines: { total: 2, succeeded: 2, errored: 0, dropped: 0 },
        outputFileId: time,
        endTime: createTime,
      },
      files: { filename: "notes.txt", purpose: "user_data", bytes: 8 },
    };
    for (const kind of kinds) {
      const common = {
        kind,
        id: ids.get(kind),
        teamId,
        userId,
        createTime,
        canCancel: false,
        canDelete: true,
      };
      const listed = await list(kind);
      expect(listed).toEqual({ objects: [{ ...common, ...expected[kind] }] });
      const found = await team.send("GET", `${kind}/${ids.get(kind) ?? ""}`);
      expect(found).toEqual({ status: 200, body: listed.objects[0] });
      expect(JSON.stringify(listed)).not.toContain("Good day.");
    }
  });

  it.each(kinds)("pages %s without repeating or losing one, the newest first", async (kind) => {
    const team = await createStoringTeam(shared());
    const made: string[] = [];
    for (let count = 0; count < 5; count++) {
      made.push(await team.create(kind));
      team.server.clock.advance(count % 2);
    }
    // What is created from now on is newer.
    team.server.clock.advance(1);
    const seen: string[] = [];
    let token: string | undefined = "";
    while (token !== undefined) {
      const page: Page = await team.list(kind, `?pageSize=2&paginationToken=${token}`);
      expect(page.objects.length).toBeGreaterThan(0);
      seen.push(...page.objects.map(({ id }) => id));
      token = page.paginationToken;
      await team.create(kind);
    }
    expect(seen.toSorted()).toEqual(made.toSorted());
  });

  it("filters by state, by being in the background, and by a text in the ID, a file's name or a model", async () => {
    const team = await createStoringTeam(shared());
    const { server, apiKey, list } = team;
    await team.create("responses");
    const body = { model: builtInModel, input: "Hello", background: true };
    const background = (await server.request("POST", "/v1/responses", body, apiKey)).body as { id: string };
    await whenIdle(team);
    const ids = async (kind: "responses" | "files" | "chat-completions", query: string) =>
      (await list(kind, query)).objects.map(({ id }) => id);
    expect(await ids("responses", "?background=true")).toEqual([background.id]);
    expect(await ids("responses", "?background=false")).toHaveLength(1);
    expect(await ids("responses", "?state=completed")).toHaveLength(2);
    expect(await ids("responses", "?state=queued")).toEqual([]);
    expect(await ids("responses", `?query=${background.id.slice(3, 20)}`)).toEqual([background.id]);
    const report = await uploadFile(server, apiKey, "Report 100%_final.pdf");
    await uploadFile(server, apiKey, "notes.txt");
    expect(await ids("files", `?query=${encodeURIComponent("report 100%_")}`)).toEqual([report]);
    expect(await ids("files", "?query=100__")).toEqual([]);
    const completion = await team.create("chat-completions");
    expect(await ids("chat-completions", `?query=${builtInModel.toUpperCase()}`)).toEqual([completion]);
    const wrong = await team.send("GET", `teams/${team.teamId}/responses?background=perhaps`);
    expect(wrong).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/^background: /) as string },
    });
  });

  it("leads through filtered pages with a token although a page is empty", async () => {
    const team = await createStoringTeam(shared());
    const id = await team.create("files");
    const { kysely } = team.server.database;
    const row = await kysely.selectFrom("files").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
    const others = Array.from({ length: 6000 }, (_, at) => ({
      ...row,
      id: `file-${String(at)}`,
      filename: "other",
      createTime: row.createTime + 1 + at,
    }));
    for (let at = 0; at < others.length; at += 500)
      await kysely
        .insertInto("files")
        .values(others.slice(at, at + 500))
        .execute();
    const first = await team.list("files", "?query=notes");
    expect(first.objects).toEqual([]);
    const next = await team.list("files", `?query=notes&paginationToken=${first.paginationToken ?? ""}`);
    expect(next.objects.map((each) => each.id)).toEqual([id]);
    expect(next.paginationToken).toBeUndefined();
  });

  it("does not list what has expired, and not the results of a message batch as a file", async () => {
    const team = await createStoringTeam(shared());
    await team.create("batches");
    await team.create("deferred-completions");
    await whenIdle(team);
    expect((await team.list("files")).objects).toEqual([]);
    team.server.clock.jump(25 * 3_600_000);
    expect((await team.list("deferred-completions")).objects).toEqual([]);
  });
});

describe("E13: of stored things,", () => {
  it.each(kinds)("a member sees the %s of their own keys only, and no other team's", async (kind) => {
    const team = await createStoringTeam(shared());
    const { server, teamId } = team;
    const memberId = await server.createMember(teamId, { role: "member" });
    const member = await server.createManagementKey({ teamId, memberId });
    const adminId = await server.createMember(teamId, { role: "admin" });
    const admin = await server.createManagementKey({ teamId, memberId: adminId });
    const elsewhere = await server.createManagementKey({ teamId: await server.createTeam() });
    const path = `/auth/teams/${teamId}/api-keys`;
    const own = (await server.request("POST", path, { name: "own", acls: allAcls }, member)).body as {
      apiKey: string;
    };
    const [ofTeam, ofMember] = [await team.create(kind), await team.create(kind, own.apiKey)];
    const ids = async (credential: string) =>
      (await team.list(kind, "", credential)).objects.map(({ id }) => id).toSorted();
    expect(await ids(admin)).toEqual([ofTeam, ofMember].toSorted());
    expect(await ids(member)).toEqual([ofMember]);
    expect((await team.send("GET", `${kind}/${ofMember}`, member)).status).toBe(200);
    for (const [credential, id] of [
      [member, ofTeam],
      [elsewhere, ofMember],
    ] as const)
      for (const [method, suffix] of [
        ["GET", ""],
        ["DELETE", ""],
        ...(kind === "deferred-completions" ? [] : ([["GET", "/content"]] as const)),
        ...(["deferred-completions", "responses", "batches"].includes(kind)
          ? ([["POST", "/cancel"]] as const)
          : []),
      ] as const)
        expect(await team.send(method, `${kind}/${id}${suffix}`, credential)).toMatchObject({
          status: 404,
          body: { code: 5, message: expect.stringMatching(/^Cannot find/) as string },
        });
    expect((await team.send("GET", `teams/${teamId}/${kind}`, elsewhere)).status).toBe(404);
    // Also after the key is gone.
    const { apiKeys } = (await server.request("GET", path, undefined, member)).body as {
      apiKeys: readonly { apiKeyId: string }[];
    };
    for (const { apiKeyId } of apiKeys)
      await server.request("DELETE", `/auth/api-keys/${apiKeyId}`, undefined, member);
    expect(await ids(member)).toEqual([ofMember]);
  });
});
