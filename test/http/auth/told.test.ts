import { describe, expect, it } from "vitest";
import { managed, pinnedManagementKey } from "./managed.js";

describe("what else the plane tells", () => {
  it("of a key's propagation: it has arrived, for it is looked up where it is changed", async () => {
    const server = await managed();
    const { apiKeyId } = await server.key(await server.team());
    expect((await server.ask("GET", `/auth/api-keys/${apiKeyId}/propagation`)).body).toEqual({
      icPropagation: { local: true },
    });
  });

  it("of a team's models, with prices and limits as texts", async () => {
    const server = await managed();
    const { body } = await server.ask("GET", `/auth/teams/${await server.team()}/models`);
    expect(body).toEqual({
      clusterConfigs: [
        {
          languageModels: [expect.objectContaining({ name: "hearth-tiny-5m", cluster: "local", tpm: "0" })],
          embeddingModels: [],
          imageGenerationModels: [
            expect.objectContaining({
              name: "hearth-painter-3m",
              outputModalities: ["IMAGE"],
              imagePrice: "1",
            }),
          ],
          audioModels: [],
          videoGenerationModels: [],
          clusterName: "local",
        },
      ],
    });
  });

  it("of endpoints: those of the table of routes, each an ACL that a key can have", async () => {
    const server = await managed();
    const teamId = await server.team();
    const { body } = await server.ask("GET", `/auth/teams/${teamId}/endpoints`);
    const { acls } = body as { acls: readonly { readonly acl: string; readonly value: string }[] };
    expect(acls.map(({ value }) => value)).toEqual(["chat", "image", "models", "sample", "tokenize"]);
    expect(acls[0]).toEqual({
      acl: "api-key:endpoint:chat",
      description: "Grants access to use a specific endpoint with an API Key.",
      namespace: "api-key",
      key: "endpoint",
      value: "chat",
    });
    const wish = { acls: acls.map(({ acl }) => acl) };
    expect(await server.key(teamId, wish)).toMatchObject({ aclStrings: wish.acls });
  });

  it("of the management key that asks, for one team and for all", async () => {
    const server = await managed();
    const path = "/auth/management-keys/validation";
    const { body: all } = await server.ask("GET", path);
    expect(all).toMatchObject({
      scope: "SCOPE_GLOBAL",
      name: "pinned by HEARTH_MANAGEMENT_KEY",
      redactedApiKey: `...${pinnedManagementKey.slice(-4)}`,
    });
    const teamId = await server.team();
    const secret = await server.manager({ teamId });
    const { body: one } = await server.ask("GET", path, undefined, secret);
    expect(one).toEqual({
      apiKeyId: expect.any(String) as string,
      teamId,
      scope: "SCOPE_TEAM",
      scopeId: teamId,
      ownerUserId: "00000000-0000-0000-0000-000000000000",
      createTime: "2026-11-21T12:00:00.000000Z",
      modifyTime: "2026-11-21T12:00:00.000000Z",
      name: "console",
      acls: ["team-token:endpoint:*"],
      redactedApiKey: `hm-...${secret.slice(-4)}`,
      ipRanges: null,
    });
  });

  it("of teams: all to a key of all, its own to a key of one", async () => {
    const server = await managed();
    const [one, other] = [await server.team("one"), await server.team("other")];
    interface Teams {
      readonly teams: readonly { readonly teamId: string; readonly name: string }[];
      readonly paginationToken?: string;
    }
    const list = async (query: string, secret?: string) =>
      (await server.ask("GET", `/auth/teams${query}`, undefined, secret)).body as Teams;
    const all = await list("");
    expect(all.teams.map(({ name }) => name)).toEqual(["default", "one", "other"]);
    const first = await list("?pageSize=2");
    const rest = await list(`?pageSize=2&paginationToken=${first.paginationToken}`);
    expect([...first.teams, ...rest.teams]).toEqual(all.teams);
    expect(rest.paginationToken).toBeUndefined();
    const seen = await list("", await server.manager({ teamId: one }));
    expect(seen.teams.map(({ teamId }) => teamId)).toEqual([one]);
    expect(other).toBeDefined();
    expect(all.teams[1]).toEqual({
      ...{ teamId: one, name: "one", blocked: false, billing: "prepaid" },
      createTime: "2026-11-21T12:00:00.000000Z",
    });
  });
});
