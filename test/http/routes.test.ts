import { describe, expect, it } from "vitest";
import { selectRoutes } from "../../src/http/routes.js";
import { fileServer, type ScriptedServer, startServer } from "../kit/server.js";
import { headersOf, hello, post } from "../kit/server/requests.js";
import { emptyFile } from "../kit/server/scripted.js";
import { keys } from "../kit/server/six-keys.js";

const say = () => ["Good", " day."];

const shared = fileServer({ engine: say });
const chat = JSON.stringify(hello);

type Scenario = readonly [method: string, path: string, key: string | null, status: number, contains: string];
const scenarios: readonly Scenario[] = [
  ["GET", "/healthz", null, 200, '{"status":"ok"}'],
  ["GET", "/health", null, 200, '{"status":"ok"}'],
  ["GET", "/v1", null, 200, '"name":"hearth"'],
  ["GET", "/v1/", null, 200, '"docs":"/docs"'],
  ["POST", "/v1", null, 405, "method_not_allowed"],
  ["GET", "/readyz", null, 200, '{"status":"ok"'],
  ["HEAD", "/healthz", null, 200, ""],
  ["GET", "/v1/models", null, 401, "missing_api_key"],
  ["GET", "/v1/models", "wrong-key-of-nobody", 401, "invalid_api_key"],
  ["GET", "/v1/models", keys.ada, 200, '"id":"ember-1m"'],
  ["HEAD", "/v1/models", keys.ada, 200, ""],
  ["GET", "/v1/models", keys.eve, 403, "permission_denied"],
  ["GET", "/v1/models/ember-1m", null, 401, "missing_api_key"],
  ["GET", "/v1/models/ember-1m", "wrong-key-of-nobody", 401, "invalid_api_key"],
  ["GET", "/v1/models/ember-1m", keys.ada, 200, '"display_name":"Ember 1M"'],
  ["GET", "/v1/models/ember", keys.ada, 200, '"id":"ember-1m"'],
  ["GET", "/v1/models/ember-1m/", keys.ada, 200, '"id":"ember-1m"'],
  ["GET", "/v1/models/org%2Fname:q4", keys.ada, 200, '"id":"org/name:q4"'],
  ["GET", "/v1/models/org%2Fname%3Aq4", keys.ada, 200, '"id":"org/name:q4"'],
  ["GET", "/v1/models/org/name:q4", keys.ada, 200, '"id":"org/name:q4"'],
  ["GET", "/v1/models/org/name:q4/", keys.ada, 200, '"id":"org/name:q4"'],
  ["GET", "/v1/models/org/name:q4?a=/b", keys.ada, 200, '"id":"org/name:q4"'],
  ["GET", "/v1/models/org/name:q4", null, 401, "missing_api_key"],
  ["GET", "/v1/models/org/name:q4", keys.bob, 403, "permission_denied"],
  ["HEAD", "/v1/models/org/name:q4", keys.ada, 200, ""],
  ["POST", "/v1/models/org/name:q4", keys.ada, 405, "method_not_allowed"],
  ["GET", "/v1/models/org/gone", keys.ada, 404, "The model 'org/gone' does not exist"],
  ["GET", "/v1/language-models/org/name:q4", keys.ada, 200, '"id":"org/name:q4"'],
  ["GET", "/v1/language-models/org/name:q4/", keys.ada, 200, '"id":"org/name:q4"'],
  ["GET", "/v1/image-generation-models/org/name:q4", keys.ada, 404, "The model 'org/name:q4' does not"],
  ["GET", "/v1/models/nothing", keys.ada, 404, "model_not_found"],
  ["GET", "/v1/models/%zz", keys.ada, 404, "model_not_found"],
  ["GET", "/v1/hearth/ps", null, 401, "missing_api_key"],
  ["GET", "/v1/hearth/ps", keys.ada, 200, '{"object":"list","data":['],
  ["GET", "/v1/hearth/ps", keys.eve, 403, "permission_denied"],
  ["GET", "/v1/api-key", null, 401, "missing_api_key"],
  ["GET", "/v1/api-key", "wrong-key-of-nobody", 401, "invalid_api_key"],
  ["GET", "/v1/api-key", keys.ada, 200, '"name":"ada"'],
  ["GET", "/v1/api-key", keys.eve, 200, '"acls":[]'],
  ["POST", "/v1/chat/completions", null, 401, "missing_api_key"],
  ["POST", "/v1/chat/completions", "wrong-key-of-nobody", 401, "invalid_api_key"],
  ["POST", "/v1/chat/completions", keys.eve, 403, "permission_denied"],
  ["POST", "/v1/chat/completions", keys.bob, 403, "api-key:model:ember-1m"],
  ["POST", "/v1/chat/completions", keys.ada, 200, '"content":"Good day."'],
  ["POST", "/v1/chat/completions/", keys.ada, 200, '"content":"Good day."'],
  ["GET", "/v1/chat/completions", keys.ada, 200, '"object":"list"'],
  ["POST", "/v1/completions", null, 401, "missing_api_key"],
  ["POST", "/v1/completions", keys.ada, 422, '"param":"prompt"'],
  ["POST", "/v1/complete", null, 401, "authentication_error"],
  ["POST", "/v1/complete", keys.eve, 400, "invalid_request_error"],
  ["POST", "/v1/tokenize-text", null, 401, "missing_api_key"],
  ["POST", "/v1/tokenize-text", keys.ada, 422, '"param":"text"'],
  ["GET", "/v1/language-models", null, 401, "missing_api_key"],
  ["GET", "/v1/language-models/ember", keys.ada, 200, '"fingerprint":"fp_7d20c4e1ab"'],
  ["GET", "/v1/image-generation-models", keys.ada, 200, '{"models":[]}'],
  ["POST", "/v1/images/generations", null, 401, "missing_api_key"],
  ["POST", "/v1/images/generations", keys.eve, 422, '"param":"prompt"'],
  ["POST", "/v1/images/generations", keys.ada, 422, '"param":"prompt"'],
  ["GET", "/v1/images/generations", keys.ada, 405, "method_not_allowed"],
  ["GET", "/images/nothing.png", null, 404, "The image does not exist"],
  ["GET", "/images/", null, 404, "no such path"],
  ["POST", "/v1/language-models", keys.ada, 405, "method_not_allowed"],
  ["DELETE", "/v1/models", keys.ada, 405, "method_not_allowed"],
  ["OPTIONS", "/v1/models", null, 204, ""],
  ["GET", "/", null, 200, "Ollama is running"],
  ["HEAD", "/", null, 200, ""],
  ["GET", "/V1/models", keys.ada, 404, "no such path"],
  ["POST", "/v1/nothing", null, 404, 'no such path."'],
];

async function call(server: ScriptedServer, [method, path, key]: Scenario): Promise<Response> {
  const headers = key === null ? { "content-type": "application/json" } : headersOf(key);
  return fetch(server.url + path, { method, headers, ...(method === "POST" ? { body: chat } : {}) });
}

describe("a route", () => {
  it.each(scenarios)("%s %s with the key %s answers %d", async (...scenario) => {
    const response = await call(shared(), scenario);
    const text = await response.text();
    expect(response.status).toBe(scenario[3]);
    expect(text).toContain(scenario[4]);
    expect(response.headers.get("x-request-id")).toBe(response.headers.get("request-id"));
    expect(response.headers.get("x-request-id")).toMatch(/^\S+$/);
    expect(response.headers.has("access-control-allow-origin")).toBe(false);
  });

  it("E1: returns 401 without a key, without exception", async () => {
    const server = await startServer({ engine: say, config: { trustProxy: true } });
    const routes = selectRoutes({ ollamaApi: true, metricsOpen: false });
    const open = [
      "/",
      "/v1",
      "/healthz",
      "/health",
      "/readyz",
      "/openapi.json",
      "/docs",
      "/images/:name",
      "/api/version",
    ];
    // The console's own routes answer 403 to what is not one of its pages: test/http/console/.
    const guarded = routes.filter(
      ({ path }) => !open.includes(path) && !/^\/(docs|console)(\/|$)/.test(path),
    );
    const apis = new Set(guarded.map(({ path }) => path.split("/")[1]));
    expect(apis).toEqual(new Set(["v1", "auth", "audit", "admin", "api", "metrics"]));
    for (const { method, path } of guarded) {
      const response = await call(server, [method, path.replace(/[:*]id/, "x"), null, 401, ""]);
      expect([path, response.status, response.headers.get("www-authenticate")]).toEqual([
        path,
        401,
        "Bearer",
      ]);
    }
  });

  it("lists the methods of its path on 405 and OPTIONS", async () => {
    const server = shared();
    for (const method of ["PUT", "OPTIONS"]) {
      const chatting = await fetch(`${server.url}/v1/messages`, { method });
      const models = await fetch(`${server.url}/v1/models`, { method });
      expect([chatting, models].map(({ headers }) => headers.get("allow"))).toEqual(["POST", "GET, HEAD"]);
    }
  });

  it("accepts the key as x-api-key", async () => {
    const server = shared();
    const response = await fetch(`${server.url}/v1/models`, { headers: { "x-api-key": keys.ada } });
    expect(response.status).toBe(200);
  });
});

describe("GET /", () => {
  const ask = async (accept: string | null, ollamaApi: "on" | "off" = "on") => {
    const { url } = await startServer({ engine: say, config: { ollamaApi } });
    const headers: Record<string, string> = accept === null ? {} : { accept };
    return fetch(url, { headers, redirect: "manual" });
  };

  it.each(["text/html", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"])(
    "leads a browser, which accepts %s, to the documentation",
    async (accept) => {
      const response = await ask(accept);
      await response.text();
      expect([response.status, response.headers.get("location")]).toEqual([302, "/docs"]);
      expect([response.headers.get("vary"), response.headers.get("cache-control")]).toEqual([
        "Accept",
        "no-cache",
      ]);
    },
  );

  it.each([
    null,
    "*/*",
    "application/json",
    "application/json, text/html",
    "text/plain",
    "text/html;q=0.1, */*",
  ])(
    "greets every other client, such as one that accepts %s, as those of Ollama expect, and knows no such path without it",
    async (accept) => {
      const greeting = await ask(accept);
      expect([greeting.status, await greeting.text()]).toEqual([200, "Ollama is running"]);
      expect(greeting.headers.get("content-type")).toBe("text/plain; charset=utf-8");
      const response = await ask(accept, "off");
      expect(response.status).toBe(404);
      expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
      expect(response.headers.has("vary")).toBe(false);
      expect(await response.text()).toBe(
        '{"code":"Some requested entity was not found","error":{"message":"This server has no such path.","type":"not_found_error","param":null,"code":"not_found"}}',
      );
    },
  );
});

describe("GET /readyz", () => {
  it("returns 503 with the reasons when the server cannot accept work", async () => {
    const server = await startServer({ engine: say, models: [emptyFile] });
    const response = await fetch(`${server.url}/readyz`);
    expect(response.status).toBe(503);
    expect(await response.json()).toEqual({ status: "unavailable", reasons: ["no usable model"] });
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  });
});

describe("GET /v1/models", () => {
  it("lists the models in a shape that OpenAI and Anthropic clients read", async () => {
    const server = shared();
    const response = await fetch(`${server.url}/v1/models`, { headers: headersOf(keys.ada) });
    const list = (await response.json()) as { data: unknown[] };
    expect(list).toMatchObject({
      object: "list",
      has_more: false,
      first_id: "ember-1m",
      last_id: "org/name:q4",
    });
    expect(list.data[0]).toEqual({
      id: "ember-1m",
      object: "model",
      created: 1795000000,
      owned_by: "hearth",
      type: "model",
      display_name: "Ember 1M",
      created_at: "2026-11-18T11:06:40.000Z",
      max_input_tokens: 512,
      max_tokens: 512,
      lifecycle: "active",
      deprecated_at: null,
      retires_at: null,
      line: null,
      capabilities: null,
    });
  });

  it("omits models that the key may not use and answers for them as if they did not exist", async () => {
    const server = shared();
    const list = await fetch(`${server.url}/v1/models`, { headers: headersOf(keys.bob) });
    expect(await list.json()).toEqual({
      object: "list",
      data: [],
      has_more: false,
      first_id: null,
      last_id: null,
    });
    const send = async (id: string) => {
      const response = await fetch(`${server.url}/v1/models/${id}`, { headers: headersOf(keys.bob) });
      return [response.status, (await response.text()).replaceAll(id, "ID")];
    };
    expect(await send("ember-1m")).toEqual(await send("absent"));
  });
});

describe("GET /v1/api-key", () => {
  it("returns everything except the secret, in the fields of the hosted service", async () => {
    // The answer says what the key has used.
    const server = await startServer({ engine: say });
    const response = await fetch(`${server.url}/v1/api-key`, { headers: headersOf(keys.ada) });
    const none = { requests: 0, usd: "0.00", tokens: 0 };
    expect(await response.json()).toEqual({
      redacted_api_key: "hk-...-own",
      user_id: "user-1",
      name: "ada",
      create_time: "2026-11-21T07:59:59.766000Z",
      modify_time: "2026-11-21T08:00:01.000000Z",
      modified_by: "user-1",
      team_id: "team-1",
      acls: ["api-key:endpoint:*", "api-key:model:*"],
      api_key_id: "key-of-ada",
      team_blocked: false,
      api_key_blocked: false,
      api_key_disabled: false,
      spent_today: { start_time: "2026-11-21T00:00:00.000000Z", ...none },
      spent_this_month: { start_time: "2026-11-01T00:00:00.000000Z", ...none },
      spent_total: { start_time: "2026-11-21T07:59:59.766000Z", ...none },
      budgets: [],
    });
  });
});

describe("a refusal", () => {
  it("of a model that the key may not use is the same whether or not the model exists", async () => {
    const server = shared();
    const send = async (model: string) => {
      const init = { headers: headersOf(keys.bob) };
      const response = await post(server, { ...hello, model }, init);
      return [response.status, (await response.text()).replaceAll(model, "MODEL")];
    };
    expect(await send("ember-1m")).toEqual(await send("absent-1"));
    expect(await send("ember")).toEqual(await send("absent-1"));
  });
});
