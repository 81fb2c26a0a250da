import { describe, expect, it } from "vitest";
import { type ManagedServer, fileServer } from "../../../kit/server.js";
import { builtInModel } from "../../../kit/server/settings.js";

const shared = fileServer({ accounts: "managed" });

async function withTeam() {
  const server = shared();
  const teamId = await server.createTeam();
  const path = `/auth/teams/${teamId}/limits`;
  const put = (body: object, credential?: string) => server.request("PUT", path, body, credential);
  const get = async () => (await server.request("GET", path)).body;
  return { server, teamId, put, get };
}

interface Clusters {
  readonly clusterConfigs: readonly {
    readonly languageModels: readonly Readonly<Record<string, unknown>>[];
  }[];
}

/** Returns the entry of the built-in model in the model list of the team. */
async function modelEntry(server: ManagedServer, teamId: string) {
  const { body } = await server.request("GET", `/auth/teams/${teamId}/models`);
  const models = (body as Clusters).clusterConfigs.flatMap(({ languageModels }) => languageModels);
  const { rps, rpm, tpm } = models.find(({ name }) => name === builtInModel) ?? {};
  return { rps, rpm, tpm };
}

describe("limits of a team", () => {
  it("are set for every model and for one model, read, and cleared by a mask", async () => {
    const { put, get } = await withTeam();
    expect(await get()).toEqual({ limits: [] });
    const made = await put({ limits: { qps: 5, tpm: "100000" } });
    expect(made).toEqual({ status: 200, body: { model: "*", qps: 5, tpm: "100000" } });
    await put({ model: builtInModel, limits: { qpm: 60 } });
    await put({ limits: { qpm: "600" }, field_mask: "qpm,qps" });
    const ofModel = { model: builtInModel, qpm: 60 };
    expect(await get()).toEqual({ limits: [{ model: "*", qpm: 600, tpm: "100000" }, ofModel] });
    expect((await put({ limits: {}, fieldMask: "qpm,tpm" })).body).toEqual({ model: "*" });
    expect(await get()).toEqual({ limits: [ofModel] });
  });

  it("appear in the list of models, where those of a model replace those of every model", async () => {
    const { server, teamId, put } = await withTeam();
    expect(await modelEntry(server, teamId)).toEqual({ rps: "0", rpm: "0", tpm: "0" });
    await put({ limits: { qps: 5, qpm: 100, tpm: "9000" } });
    expect(await modelEntry(server, teamId)).toEqual({ rps: "5", rpm: "100", tpm: "9000" });
    await put({ model: builtInModel, limits: { qpm: 7 } });
    expect(await modelEntry(server, teamId)).toEqual({ rps: "0", rpm: "7", tpm: "0" });
  });

  it("can be read and not changed by a management key of the team", async () => {
    const { server, teamId, put, get } = await withTeam();
    await put({ limits: { qps: 5 } });
    const own = await server.createManagementKey({ teamId });
    expect(await server.request("GET", `/auth/teams/${teamId}/limits`, undefined, own)).toMatchObject({
      status: 200,
    });
    const refused = await put({ limits: { qps: 500 } }, own);
    expect(refused).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining("it may not use this endpoint") as string },
    });
    expect(await get()).toEqual({ limits: [{ model: "*", qps: 5 }] });
  });

  it("are rejected with the name of an invalid field, and a change appears in the audit log", async () => {
    const { server, teamId, put } = await withTeam();
    for (const [body, field] of [
      [{ limits: { qps: 0 } }, "qps"],
      [{ limits: { qpm: 2 ** 31 } }, "qpm"],
      [{ model: "a b", limits: { qps: 1 } }, "model"],
      [{ limits: { model: builtInModel, qps: 1 } }, "limits.model: belongs beside limits, as in {"],
      [{ limits: {} }, "fieldMask"],
      [{ limits: { qps: 1 }, fieldMask: "rps" }, "fieldMask"],
    ] as const)
      expect(await put(body)).toMatchObject({
        status: 400,
        body: { message: expect.stringMatching(`^${field}`) as string },
      });
    await put({ limits: { tpm: 5 } });
    const { body } = await server.request(
      "GET",
      `/audit/teams/${teamId}/events?orderBy=TIME_DESCENDING&pageSize=1`,
    );
    expect(body).toMatchObject({
      events: [
        {
          description: expect.stringMatching(
            /^Changed the limits of the team 'research( \d+)?' on every model$/,
          ) as string,
        },
      ],
    });
  });
});
