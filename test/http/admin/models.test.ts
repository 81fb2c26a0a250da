import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { builtInModel } from "../../harness.js";
import { startManagedServer } from "../auth/managed.js";

const path = `/admin/models/${builtInModel}`;
const hello = { messages: [{ role: "user", content: "Hello" }] };

describe("PUT /admin/models/{model}", () => {
  it("sets an alias that answers with the next request, and removes it again", async () => {
    const server = await startManagedServer();
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
    const server = await startManagedServer();
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
    const server = await startManagedServer();
    const { status, body } = await server.request("PUT", path, { slots: 2, ...change });
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain(field);
    expect((await server.request("GET", path)).body).toMatchObject({ settings: {} });
  });

  it("is in the audit log, with what was before", async () => {
    const server = await startManagedServer();
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
    const server = await startManagedServer();
    const reader = await server.createManagementKey({ acls: ["team-token:endpoint:ListModels"] });
    expect((await server.request("GET", path, undefined, reader)).status).toBe(200);
    expect((await server.request("PUT", path, { slots: 2 }, reader)).status).toBe(403);
    const ofTeam = await server.createManagementKey({ teamId: await server.createTeam() });
    expect((await server.request("PUT", path, { slots: 2 }, ofTeam)).status).toBe(403);
  });

  it("names the closest models for one that does not exist", async () => {
    const server = await startManagedServer();
    const { status, body } = await server.request("PUT", "/admin/models/hearth-tony", { slots: 2 });
    expect(status).toBe(404);
    expect(JSON.stringify(body)).toContain("hearth-tiny");
  });
});

describe("GET /admin/models", () => {
  it("lists all models with what the operator needs to know of them", async () => {
    const server = await startManagedServer();
    const { body } = await server.request("GET", "/admin/models");
    const { data } = body as { data: readonly { id: string }[] };
    expect(data.find(({ id }) => id === builtInModel)).toMatchObject({
      kind: "chat",
      unusable: null,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    });
  });
});
