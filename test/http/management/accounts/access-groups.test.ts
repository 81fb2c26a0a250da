import { describe, expect, it } from "vitest";
import { type ManagedServer, fileServer, startServer } from "../../../kit/server.js";
import { type Answer, statusWithKey } from "../../../kit/server/management.js";
import { builtInModel } from "../../../kit/server/settings.js";

const shared = fileServer({ accounts: "managed" });

const chat = "api-key:endpoint:chat";
const models = "api-key:endpoint:models";
const tiny = `api-key:model:${builtInModel}`;

/** Creates a team that has credit. */
async function aTeam(server = shared()) {
  const teamId = await server.createTeam();
  await server.request("POST", `/v1/billing/teams/${teamId}/prepaid/top-up`, { amount: { val: "1000" } });
  const group = (name: string, acls: readonly string[]): Promise<Answer> =>
    server.request("POST", "/auth/access-groups", { name, acls });
  const setGroup = (name: string, acls: readonly string[]): Promise<Answer> =>
    server.request("PUT", `/auth/access-groups/${name}`, { accessGroup: { acls }, fieldMask: "acls" });
  const allow = (acls: readonly string[] | null, credential?: string): Promise<Answer> =>
    server.request("PUT", `/auth/teams/${teamId}`, { team: { acls }, fieldMask: "acls" }, credential);
  return { server, teamId, group, setGroup, allow };
}

/** Returns the status and the message of a chat request. */
async function chatWith(server: ManagedServer, key: string, model = builtInModel) {
  const body = { model, messages: [{ role: "user", content: "Hello" }], max_tokens: 4 };
  const answer = await server.request("POST", "/v1/chat/completions", body, key);
  const { error } = answer.body as { error?: { message: string } };
  return { status: answer.status, message: error?.message ?? "" };
}

async function modelsSeenBy(server: ManagedServer, key: string): Promise<readonly string[]> {
  const { body } = await server.request("GET", "/v1/models", undefined, key);
  return (body as { data: readonly { id: string }[] }).data.map(({ id }) => id);
}

describe("an access group", () => {
  it("is created, listed, read, changed and deleted, and the audit log has each change", async () => {
    // The test lists all groups.
    const { server, group, setGroup } = await aTeam(await startServer({ accounts: "managed" }));
    const created = await group("small", [chat, tiny]);
    const times = { createTime: expect.any(String) as string, modifyTime: expect.any(String) as string };
    const one = { name: "small", acl: "api-key:group:small", description: "", acls: [chat, tiny], ...times };
    expect(created).toEqual({ status: 200, body: one });
    expect((await group("small", [])).status).toBe(409);
    expect((await server.request("GET", "/auth/access-groups")).body).toEqual({ accessGroups: [one] });
    expect((await server.request("GET", "/auth/access-groups/small")).body).toEqual(one);
    expect((await setGroup("small", [chat])).body).toMatchObject({ acls: [chat] });
    expect((await server.request("DELETE", "/auth/access-groups/small")).status).toBe(200);
    expect((await server.request("GET", "/auth/access-groups/small")).status).toBe(404);
    const events = await server.stores.audit.page({
      ...{ teamId: null, order: "descending", after: null, from: null, to: null },
      limit: 3,
    });
    expect(events.map(({ action, objectId }) => [action, objectId])).toEqual([
      ["DeleteAccessGroup", "small"],
      ["UpdateAccessGroup", "small"],
      ["CreateAccessGroup", "small"],
    ]);
    expect(events[1]).toMatchObject({ before: { aclStrings: [chat, tiny] }, after: { aclStrings: [chat] } });
  });

  it("gives a key what it has, and a change of it is effective at the next request", async () => {
    const { server, teamId, group, setGroup } = await aTeam();
    await group("small", [models, tiny]);
    const { apiKey } = await server.createKey(teamId, { acls: ["api-key:group:small"] });
    expect(await modelsSeenBy(server, apiKey)).toEqual([builtInModel]);
    expect((await chatWith(server, apiKey)).status).toBe(403);
    await setGroup("small", [models, chat, tiny]);
    expect((await chatWith(server, apiKey)).status).toBe(200);
    await setGroup("small", [models, chat]);
    expect((await chatWith(server, apiKey)).status).toBe(403);
    expect(await modelsSeenBy(server, apiKey)).toEqual([]);
    await setGroup("small", []);
    expect(await statusWithKey(server, apiKey)).toBe(403);
  });

  it("adds to the other ACLs of a key, and another process's change of it counts, too", async () => {
    const { server, teamId, group } = await aTeam();
    await group("chats", [chat]);
    const { apiKey } = await server.createKey(teamId, { acls: [tiny, "api-key:group:chats"] });
    expect((await chatWith(server, apiKey)).status).toBe(200);
    await server.database.kysely.updateTable("accessGroups").set({ acls: [] }).execute();
    expect((await chatWith(server, apiKey)).status).toBe(403);
  });

  it("that keys or teams have cannot be deleted, and the error says how many have it", async () => {
    const { server, teamId, group, allow } = await aTeam();
    await group("used", [chat]);
    const { apiKeyId } = await server.createKey(teamId, { acls: ["api-key:group:used"] });
    await server.createKey(teamId, { acls: ["api-key:group:used", tiny] });
    await allow(["api-key:group:used"]);
    const refused = await server.request("DELETE", "/auth/access-groups/used");
    expect(refused.status).toBe(409);
    expect(JSON.stringify(refused.body)).toContain("2 API keys and 1 team have the ACL api-key:group:used");
    await allow(null);
    await server.request("DELETE", `/auth/api-keys/${apiKeyId}`);
    const one = await server.request("DELETE", "/auth/access-groups/used");
    expect(JSON.stringify(one.body)).toContain("1 API key has the ACL");
  });

  it("that does not exist, and an ACL that no group can have, are refused with the field's name", async () => {
    const { server, teamId, group, allow } = await aTeam();
    const created = await server.request("POST", `/auth/teams/${teamId}/api-keys`, {
      name: "laptop",
      acls: [chat, "api-key:group:gone"],
    });
    expect(created.status).toBe(400);
    expect(JSON.stringify(created.body)).toContain(
      "acls.1 names the access group 'gone', which does not exist",
    );
    expect(JSON.stringify((await allow(["api-key:group:gone"])).body)).toContain("acls.0 names");
    expect(JSON.stringify((await group("nested", ["api-key:group:nested"])).body)).toContain(
      "acls.0 must be",
    );
    expect(JSON.stringify((await group("a name", [])).body)).toContain("name must be 1 to 64 letters");
    expect(
      (await server.request("PUT", "/auth/access-groups/gone", { accessGroup: { acls: [] } })).status,
    ).toBe(404);
  });

  it("can be listed and not changed by a management key of one team", async () => {
    const { server, teamId, group } = await aTeam();
    await group("small", [chat]);
    const own = await server.createManagementKey({ teamId });
    expect((await server.request("GET", "/auth/access-groups", undefined, own)).status).toBe(200);
    for (const [method, path, body] of [
      ["POST", "/auth/access-groups", { name: "mine", acls: ["api-key:endpoint:*"] }],
      ["PUT", "/auth/access-groups/small", { accessGroup: { acls: ["api-key:endpoint:*"] } }],
      ["DELETE", "/auth/access-groups/small", undefined],
    ] as const)
      expect((await server.request(method, path, body, own)).status, method).toBe(403);
  });
});

describe("what a team allows", () => {
  it("limits each of its keys, whatever their ACLs say, from the next request on", async () => {
    // The test lists all teams.
    const { server, teamId, allow } = await aTeam(await startServer({ accounts: "managed" }));
    const { apiKey } = await server.createKey(teamId, { acls: ["api-key:endpoint:*", "api-key:model:*"] });
    const { apiKey: other } = await server.createKey(await server.createTeam("other"), {
      acls: ["api-key:endpoint:*", "api-key:model:*"],
    });
    expect((await modelsSeenBy(server, apiKey)).length).toBeGreaterThan(1);
    expect((await allow([chat, models, tiny])).body).toMatchObject({ aclStrings: [chat, models, tiny] });
    expect(await modelsSeenBy(server, apiKey)).toEqual([builtInModel]);
    expect((await modelsSeenBy(server, other)).length).toBeGreaterThan(1);
    expect((await chatWith(server, apiKey)).status).toBe(200);
    const model = await chatWith(server, apiKey, "another-model");
    expect(model).toMatchObject({
      status: 403,
      message: expect.stringContaining("Your team has no access") as string,
    });
    const embedding = { model: "hearth-embed-1m", input: "Hello" };
    expect((await server.request("POST", "/v1/embeddings", embedding, apiKey)).status).toBe(403);
    await allow([]);
    expect(await statusWithKey(server, apiKey)).toBe(403);
    await allow(null);
    expect((await server.request("GET", "/auth/teams")).body).not.toMatchObject({
      teams: expect.arrayContaining([
        expect.objectContaining({ aclStrings: expect.anything() as unknown }),
      ]) as unknown,
    });
    expect((await modelsSeenBy(server, apiKey)).length).toBeGreaterThan(1);
  });

  it("never adds to what a key may do, and can be a group", async () => {
    const { server, teamId, group, setGroup, allow } = await aTeam();
    await group("of-the-team", [chat, tiny]);
    await allow(["api-key:group:of-the-team"]);
    const { apiKey } = await server.createKey(teamId, { acls: [models, tiny] });
    expect((await chatWith(server, apiKey)).message).toContain("needs the ACL api-key:endpoint:chat");
    expect(await statusWithKey(server, apiKey)).toBe(403);
    await setGroup("of-the-team", [chat, models, tiny]);
    expect(await statusWithKey(server, apiKey)).toBe(200);
  });

  it("limits the models and endpoints that the team's keys are offered", async () => {
    const { server, teamId, allow } = await aTeam();
    await allow([chat, models, tiny]);
    const endpoints = await server.request("GET", `/auth/teams/${teamId}/endpoints`);
    expect((endpoints.body as { acls: { value: string }[] }).acls.map(({ value }) => value)).toEqual([
      "chat",
      "models",
    ]);
    const { body } = await server.request("GET", `/auth/teams/${teamId}/models`);
    const [cluster] = (body as { clusterConfigs: Record<string, { name: string }[]>[] }).clusterConfigs;
    expect(cluster?.["languageModels"]?.map(({ name }) => name)).toEqual([builtInModel]);
    expect(cluster?.["imageGenerationModels"]).toEqual([]);
  });

  it("is the operator's to change: a management key of the team may not, and may rename the team still", async () => {
    const { server, teamId, allow } = await aTeam();
    await allow([chat]);
    const own = await server.createManagementKey({ teamId });
    expect((await allow(null, own)).status).toBe(403);
    const renamed = await server.request("PUT", `/auth/teams/${teamId}`, { team: { name: "lab" } }, own);
    expect(renamed).toMatchObject({ status: 200, body: { name: "lab", aclStrings: [chat] } });
  });
});
