import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import { type ScriptedServer, startServer, fileServer } from "../../../kit/server.js";
import { headersOf } from "../../../kit/server/requests.js";
import { builtInModel } from "../../../kit/server/settings.js";
import { keys } from "../../../kit/server/six-keys.js";

const shared = fileServer({ engine: () => [] });

async function get(server: ScriptedServer, path: string, key: string = keys.ada) {
  const response = await fetch(`${server.url}/v1/${path}`, { headers: headersOf(key) });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const ember = {
  id: "ember-1m",
  fingerprint: "fp_7d20c4e1ab",
  created: 1795000000,
  object: "model",
  owned_by: "hearth",
  version: "1.0.0",
  input_modalities: ["text"],
  output_modalities: ["text"],
  prompt_text_token_price: 20,
  cached_prompt_text_token_price: 5,
  prompt_image_token_price: 0,
  completion_text_token_price: 20,
  search_price: 0,
  aliases: ["ember"],
};

describe("GET /v1/language-models", () => {
  it("lists the usable models in order of id, with all fourteen fields", async () => {
    const { body } = await get(shared(), "language-models");
    const models = body["models"] as { id: string }[];
    expect(models.map(({ id }) => id)).toEqual(["ember-1m", "org/name:q4"]);
    expect(models[0]).toEqual(ember);
  });

  it.each(["ember-1m", "ember", "org%2Fname:q4", "org%2Fname%3Aq4"])(
    "returns the model for %s",
    async (name) => {
      const { status, body } = await get(shared(), `language-models/${name}`);
      const id = name.startsWith("ember") ? "ember-1m" : "org/name:q4";
      expect([status, body]).toEqual([200, { ...ember, id, aliases: body["aliases"] }]);
    },
  );
});

describe("GET /v1/image-generation-models", () => {
  it("lists and returns no model when the server has no image model", async () => {
    const server = shared();
    expect(await get(server, "image-generation-models")).toEqual({ status: 200, body: { models: [] } });
    const found = await get(server, "image-generation-models/ember-1m");
    expect(found).toMatchObject({ status: 404, body: { error: { code: "model_not_found" } } });
  });
});

it("an ACL that names an alias opens its model, by every name, in lists and in requests", async () => {
  const server = await startServer({ accounts: "managed" });
  const { models } = (await server.request("GET", "/v1/language-models", undefined, server.apiKey)).body as {
    models: readonly { id: string; aliases: readonly string[] }[];
  };
  const model = models.find(({ id }) => id === builtInModel);
  const alias = model?.aliases[0] ?? "";
  const acls = ["api-key:endpoint:*", `api-key:model:${alias}`];
  const { apiKey } = await server.createKey(await server.createTeam(), { acls });
  const list = await server.request("GET", "/v1/models", undefined, apiKey);
  expect(list.body).toMatchObject({ data: [{ id: builtInModel }] });
  for (const name of [builtInModel, alias])
    for (const path of [`/v1/models/${name}`, `/v1/language-models/${name}`])
      expect((await server.request("GET", path, undefined, apiKey)).status).toBe(200);
  for (const name of [builtInModel, ...(model?.aliases ?? [])]) {
    const body = { model: name, text: "Hello" };
    expect((await server.request("POST", "/v1/tokenize-text", body, apiKey)).status).toBe(200);
  }
});

describe.each(["models", "language-models", "image-generation-models"])("every list, such as %s,", (path) => {
  it("rejects a key without the ACL, as do the URLs of its models", async () => {
    const server = shared();
    for (const each of [path, `${path}/ember-1m`])
      expect((await get(server, each, keys.eve)).status).toBe(403);
  });

  it("omits models that the key may not use, and returns 403 for them and for unknown names alike", async () => {
    const server = shared();
    const { body } = await get(server, path, keys.bob);
    expect(body["models"] ?? body["data"]).toEqual([]);
    const send = async (name: string) => {
      const found = await get(server, `${path}/${name}`, keys.bob);
      return [found.status, JSON.stringify(found.body).replaceAll(name, "NAME")];
    };
    for (const name of ["ember-1m", "ember", "absent"])
      expect(await send(name)).toEqual([403, expect.stringContaining("ACL api-key:model:NAME.")]);
  });
});

describe("GET /v1/models", () => {
  it("is read page by page by the official Anthropic client, in both directions", async () => {
    const { url } = shared();
    const client = new Anthropic({ baseURL: url, apiKey: keys.ada, maxRetries: 0 });
    const idsOf = async (query: Anthropic.ModelListParams) => {
      const ids = [];
      for await (const { id } of client.models.list(query)) ids.push(id);
      return ids;
    };
    for (const limit of [1, 2, 1000]) expect(await idsOf({ limit })).toEqual(["ember-1m", "org/name:q4"]);
    expect(await idsOf({ limit: 1, after_id: "ember-1m" })).toEqual(["org/name:q4"]);
    expect(await idsOf({ limit: 1, before_id: "org/name:q4" })).toEqual(["ember-1m"]);
    expect(await client.models.list({ limit: 1 })).toMatchObject({ has_more: true, last_id: "ember-1m" });
    expect(await client.models.list({ before_id: "ember-1m" })).toMatchObject({ data: [], has_more: false });
  });

  it.each([
    ["limit=0", "limit"],
    ["limit=1001", "limit"],
    ["after_id=absent", "after_id"],
    ["before_id=absent", "before_id"],
    ["after_id=ember-1m&before_id=org/name:q4", "before_id"],
  ])("with ?%s is refused with the name of the field", async (query, param) => {
    const { body } = await get(shared(), `models?${query}`);
    expect(body).toMatchObject({ error: { param } });
  });
});
