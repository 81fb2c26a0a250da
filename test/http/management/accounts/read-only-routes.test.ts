import { describe, expect, it } from "vitest";
import { startServer, fileServer } from "../../../kit/server.js";
import { pinnedManagementKey } from "../../../kit/server/settings.js";

const shared = fileServer({ accounts: "managed" });

describe("the management API", () => {
  it("reports that a change of a key is in effect at once", async () => {
    const server = shared();
    const { apiKeyId } = await server.createKey(await server.createTeam());
    expect((await server.request("GET", `/auth/api-keys/${apiKeyId}/propagation`)).body).toEqual({
      icPropagation: { local: true },
    });
  });

  it("lists the models of a team, with prices and limits as strings", async () => {
    const server = shared();
    const { body } = await server.request("GET", `/auth/teams/${await server.createTeam()}/models`);
    expect(body).toEqual({
      clusterConfigs: [
        {
          languageModels: [expect.objectContaining({ name: "hearth-tiny-5m", cluster: "local", tpm: "0" })],
          embeddingModels: [
            expect.objectContaining({
              name: "hearth-embed-1m",
              outputModalities: ["EMBEDDING"],
              promptTextTokenPrice: "10",
            }),
          ],
          imageGenerationModels: [
            expect.objectContaining({
              name: "hearth-painter-3m",
              outputModalities: ["IMAGE"],
              imagePrice: "2000000",
              resolutionPricing: [
                { resolution: "IMAGE_RESOLUTION_1K", pricePerImage: "2000000" },
                { resolution: "IMAGE_RESOLUTION_2K", pricePerImage: "2000000" },
              ],
            }),
          ],
          audioModels: [],
          videoGenerationModels: [],
          clusterName: "local",
        },
      ],
    });
  });

  it("lists the endpoints of the route table, each an ACL that a key can have", async () => {
    const server = shared();
    const teamId = await server.createTeam();
    const { body } = await server.request("GET", `/auth/teams/${teamId}/endpoints`);
    const { acls } = body as { acls: readonly { readonly acl: string; readonly value: string }[] };
    expect(acls.map(({ value }) => value)).toEqual([
      "batches",
      "chat",
      "embed",
      "files",
      "image",
      "models",
      "sample",
      "tokenize",
    ]);
    expect(acls[1]).toEqual({
      acl: "api-key:endpoint:chat",
      description: "Grants access to use a specific endpoint with an API Key.",
      namespace: "api-key",
      key: "endpoint",
      value: "chat",
    });
    const fields = { acls: acls.map(({ acl }) => acl) };
    expect(await server.createKey(teamId, fields)).toMatchObject({ aclStrings: fields.acls });
  });

  it("returns the management key of the request, for one team and for all", async () => {
    const server = shared();
    const path = "/auth/management-keys/validation";
    const { body: all } = await server.request("GET", path);
    expect(all).toMatchObject({
      scope: "SCOPE_GLOBAL",
      name: "pinned by HEARTH_MANAGEMENT_KEY",
      redactedApiKey: `...${pinnedManagementKey.slice(-4)}`,
    });
    const teamId = await server.createTeam();
    const secret = await server.createManagementKey({ teamId });
    const { body: one } = await server.request("GET", path, undefined, secret);
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

  it("lists all teams to a key for all teams, and one team to its own key", async () => {
    // The test lists all teams.
    const server = await startServer({ accounts: "managed" });
    const [one, other] = [await server.createTeam("one"), await server.createTeam("other")];
    interface Teams {
      readonly teams: readonly { readonly teamId: string; readonly name: string }[];
      readonly paginationToken?: string;
    }
    const list = async (query: string, secret?: string) =>
      (await server.request("GET", `/auth/teams${query}`, undefined, secret)).body as Teams;
    const all = await list("");
    expect(all.teams.map(({ name }) => name)).toEqual(["default", "one", "other"]);
    const first = await list("?pageSize=2");
    const rest = await list(`?pageSize=2&paginationToken=${first.paginationToken}`);
    expect([...first.teams, ...rest.teams]).toEqual(all.teams);
    expect(rest.paginationToken).toBeUndefined();
    const seen = await list("", await server.createManagementKey({ teamId: one }));
    expect(seen.teams.map(({ teamId }) => teamId)).toEqual([one]);
    expect(other).toBeDefined();
    expect(all.teams[1]).toEqual({
      ...{ teamId: one, name: "one", blocked: false, billing: "prepaid", keepBodies: false },
      createTime: "2026-11-21T12:00:00.000000Z",
    });
  });
});
