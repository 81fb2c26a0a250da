import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { temporaryFolder } from "../../kit/folder.js";
import { startServer, fileServer } from "../../kit/server.js";
import { builtInModel, pinnedManagementKey } from "../../kit/server/settings.js";
import { until } from "../../kit/until.js";
import { startHub } from "../../kit/doubles/hub/hub-server.js";
import { createPulling, ggufOf } from "../../models/hub/pulling.js";

const shared = fileServer({ accounts: "managed" });

const path = `/admin/models/${builtInModel}`;
const hello = { messages: [{ role: "user", content: "Hello" }] };

describe("PUT /admin/models/{model}", () => {
  it("sets an alias that answers with the next request, and removes it again", async () => {
    const server = shared();
    const ask = async () => {
      const body = { model: "gpt-4o-mini", ...hello };
      return (await server.request("POST", "/v1/chat/completions", body, server.apiKey)).status;
    };
    expect(await ask()).toBe(404);
    const set = await server.request("PUT", path, { aliases: ["gpt-4o-mini"] });
    expect(set).toMatchObject({
      status: 200,
      body: { id: builtInModel, settings: { aliases: ["gpt-4o-mini"] } },
    });
    expect(await ask()).toBe(200);
    // By its new name, too.
    const removed = await server.request("PUT", "/admin/models/gpt-4o-mini", { aliases: null });
    expect(removed).toMatchObject({ status: 200, body: { settings: {} } });
    expect(await ask()).toBe(404);
  });

  it("changes only the settings that it names, also within prices and sampling", async () => {
    const server = shared();
    await server.request("PUT", path, { prices: { prompt: 0.5, completion: 2 }, context: 1024 });
    await server.request("PUT", path, { prices: { completion: 4 } });
    const { body } = await server.request("GET", path);
    expect(body).toMatchObject({
      contextTokens: 1024,
      prices: { prompt: "0.50", cached: "0.50", completion: "4.00" },
      settings: { prices: { prompt: 0.5, completion: 4 }, context: 1024 },
    });
    expect(readFileSync(join(server.data, "model-settings.yaml"), "utf8")).toContain("completion: 4");
  });

  it.each([
    ["a setting that does not exist", { temperature: 1 }, "temperature"],
    ["a value of the wrong type", { slots: "many" }, "slots"],
    ["a price that is negative", { prices: { prompt: -1 } }, "prices.prompt"],
    ["a price of part of a tick", { prices: { prompt: 0.00001 } }, "prices.prompt"],
    ["a name that is none", { aliases: ["a b"] }, "aliases.0"],
    ["a draft model", { draft: "other" }, "draft"],
    ["a template in a file of the machine", { template: "/etc/passwd" }, "template"],
    ["a template in a folder above", { template: "x/../../key.jinja" }, "template"],
    ["an adapter in a folder above", { lora: [{ file: "../a.gguf" }] }, "lora.0.file"],
  ])("refuses %s, names it, and changes nothing", async (_, change, field) => {
    const server = shared();
    const { status, body } = await server.request("PUT", path, { slots: 2, ...change });
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain(field);
    expect((await server.request("GET", path)).body).toMatchObject({ settings: {} });
  });

  it("refuses an alias that another model has, or that is its ID, and names the alias", async () => {
    const server = shared();
    await server.request("PUT", path, { aliases: ["fast"] });
    const other = "/admin/models/hearth-embed";
    for (const taken of ["fast", builtInModel]) {
      const { status, body } = await server.request("PUT", other, { aliases: ["free", taken] });
      const message = `aliases: '${taken}' belongs to the model '${builtInModel}' already.`;
      expect([status, body]).toMatchObject([409, { message }]);
    }
    expect((await server.request("GET", other)).body).toMatchObject({ settings: {} });
    expect((await server.request("PUT", path, { aliases: ["fast", "faster"] })).status).toBe(200);
  });

  it("is in the audit log, with what was before", async () => {
    const server = shared();
    await server.request("PUT", path, { slots: 2 });
    await server.request("PUT", path, { slots: 3 });
    const page = { teamId: null, after: null, from: null, to: null, limit: 1 };
    const [event] = await server.stores.audit.page({ ...page, order: "descending" });
    expect(event).toMatchObject({
      action: "UpdateModelSettings",
      objectId: builtInModel,
      before: { slots: "2" },
      after: { slots: "3" },
    });
  });

  it("is refused to a management key without ManageModels and to one for a team", async () => {
    const server = shared();
    const reader = await server.createManagementKey({ acls: ["team-token:endpoint:ListModels"] });
    expect((await server.request("GET", path, undefined, reader)).status).toBe(200);
    expect((await server.request("PUT", path, { slots: 2 }, reader)).status).toBe(403);
    const ofTeam = await server.createManagementKey({ teamId: await server.createTeam() });
    expect((await server.request("PUT", path, { slots: 2 }, ofTeam)).status).toBe(403);
  });

  it("names the closest models for one that does not exist", async () => {
    const server = shared();
    const { status, body } = await server.request("PUT", "/admin/models/hearth-tony", { slots: 2 });
    expect(status).toBe(404);
    expect(JSON.stringify(body)).toContain("hearth-tiny");
  });
});

describe("DELETE /admin/models/{model}", () => {
  it("deletes a model that was pulled, with its settings, and refuses a built-in one", async () => {
    const hub = await startHub({ "tiny-Q4_K_M.gguf": ggufOf(1024 * 1024) });
    const models = temporaryFolder();
    const { puller } = createPulling({ HF_ENDPOINT: hub.url }, { models });
    const overrides = { openPuller: () => Promise.resolve(puller) };
    const server = await startServer({
      accounts: "managed",
      ...overrides,
      environment: { HEARTH_MODELS: models },
    });
    await server.request("POST", "/admin/models/pull", { model: "acme/tiny:Q4_K_M" });
    const pulled = "/admin/models/tiny-q4_k_m";
    await until(() => server.app.models.find("tiny-q4_k_m") !== null);
    expect((await server.request("DELETE", pulled)).status).toBe(200);
    expect((await server.request("GET", pulled)).status).toBe(404);
    expect(await server.request("DELETE", path)).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining("only pulled models") as string },
    });
  });
});

describe("POST /admin/models/load and unload", () => {
  it("puts a model into memory and takes it out, also one that its settings keep for ever", async () => {
    // An engine of its own: the tests of one process share one.
    const environment = { HEARTH_MANAGEMENT_KEY: pinnedManagementKey, HEARTH_SLOTS_PER_MODEL: "2" };
    const { url } = await startServer({ environment });
    const request = async (method: string, at: string, body?: object) => {
      const headers = { authorization: `Bearer ${pinnedManagementKey}`, "content-type": "application/json" };
      const init = { method, headers, body: JSON.stringify(body) };
      return (await (await fetch(url + at, init)).json()) as { memory: object | null };
    };
    const model = { model: builtInModel };
    await request("PUT", path, { keepAlive: "forever" });
    expect((await request("POST", "/admin/models/load", model)).memory).toMatchObject({
      slots: 2,
      slotsHeld: 0,
      device: "cpu",
    });
    expect(await request("GET", path)).toMatchObject({ memory: { slots: 2 }, fit: { verdict: "fits" } });
    await request("POST", "/admin/models/unload", model);
    await vi.waitUntil(async () => (await request("GET", path)).memory === null);
    expect((await request("POST", "/admin/models/load", model)).memory).not.toBeNull();
  });

  it("is in the audit log, and says why a model cannot be loaded", async () => {
    const server = shared();
    await server.request("POST", "/admin/models/load", { model: builtInModel });
    await server.request("POST", "/admin/models/unload", { model: builtInModel });
    const page = { teamId: null, after: null, from: null, to: null, limit: 2 };
    const events = await server.stores.audit.page({ ...page, order: "descending" });
    expect(events.map(({ action, objectId }) => [action, objectId])).toEqual([
      ["UnloadModel", builtInModel],
      ["LoadModel", builtInModel],
    ]);
    const vision = server.app.models.list().find(({ manifest }) => manifest.kind === "vision");
    const refused = await server.request("POST", "/admin/models/load", { model: vision?.manifest.id });
    expect(refused).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining("the first image loads") as string },
    });
    expect((await server.request("POST", "/admin/models/load", { model: "none" })).status).toBe(404);
  });
});

describe("GET /admin/models", () => {
  it("lists all models with what the operator needs to know of them", async () => {
    const server = shared();
    const { body } = await server.request("GET", "/admin/models");
    const { data } = body as { data: readonly { id: string }[] };
    expect(data.find(({ id }) => id === builtInModel)).toMatchObject({
      kind: "chat",
      unusable: null,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    });
  });
});
