import { exchange } from "../../kit/clients/raw.js";
import { describe, expect, it } from "vitest";
import { fileServer, startServer } from "../../kit/server.js";
import { headersOf, hello } from "../../kit/server/requests.js";
import { keys } from "../../kit/server/six-keys.js";

const say = () => ["Good", " day."];
const chat = JSON.stringify(hello);

type Scenario = readonly [method: string, path: string, key: string | null, status: number, contains: string];
const scenarios: readonly Scenario[] = [
  ["GET", "/api/version", null, 200, '"hearth":'],
  ["GET", "/api/tags", null, 401, '{"error":"No credentials presented.'],
  ["GET", "/api/tags", keys.ada, 200, '"name":"ember-1m"'],
  ["GET", "/api/tags", keys.bob, 200, '{"models":[]}'],
  ["GET", "/api/tags", keys.eve, 403, '{"error":"This API key has no access'],
  ["GET", "/api/ps", null, 401, '{"error":'],
  ["GET", "/api/ps", keys.ada, 200, '{"models":['],
  ["GET", "/api/ps", keys.eve, 403, '{"error":'],
  ["POST", "/api/chat", null, 401, '{"error":'],
  ["POST", "/api/chat", keys.eve, 403, "api-key:endpoint:chat"],
  ["POST", "/api/chat", keys.bob, 403, "api-key:model:ember-1m"],
  ["POST", "/api/chat", keys.ada, 200, '"content":"Good"'],
  ["POST", "/api/chat/", keys.ada, 200, '"done":true'],
  ["GET", "/api/chat", keys.ada, 405, '{"error":"This path does not take GET requests."}'],
  ["POST", "/api/generate", null, 401, '{"error":'],
  ["POST", "/api/generate", keys.bob, 403, "api-key:endpoint:sample"],
  ["POST", "/api/generate", keys.ada, 200, '"done_reason":"load"'],
  ["POST", "/api/embed", keys.ada, 400, '{"error":"input: is required"}'],
  ["POST", "/api/embeddings", keys.ada, 400, '{"error":"prompt: is required"}'],
  ["POST", "/api/show", keys.bob, 403, '{"error":'],
  ["POST", "/api/show", keys.ada, 200, '"capabilities":["completion"'],
  ["POST", "/api/copy", null, 401, '{"error":'],
  ["POST", "/api/copy", keys.ada, 400, '{"error":"This server does not serve POST /api/copy.'],
  ["POST", "/api/create", keys.ada, 400, "POST /api/create"],
  ["POST", "/api/push", keys.ada, 400, "POST /api/push"],
  ["POST", "/api/blobs/sha256:0", keys.ada, 400, "POST /api/blobs"],
  ["POST", "/api/pull", keys.ada, 401, '{"error":"Incorrect management key'],
  ["DELETE", "/api/delete", keys.ada, 401, '{"error":"Incorrect management key'],
  ["GET", "/api/nothing", keys.ada, 404, '{"error":"This server has no such path."}'],
];

const shared = fileServer({ engine: say });

describe("a route of Ollama's interface", () => {
  it.each(scenarios)("%s %s with the key %s answers %d", async (method, path, key, status, contains) => {
    const { url } = shared();
    const headers = key === null ? { "content-type": "application/json" } : headersOf(key);
    const init = { method, headers, ...(method === "POST" ? { body: chat } : {}) };
    const response = await fetch(url + path, init);
    expect([response.status, await response.text()]).toEqual([
      status,
      expect.stringContaining(contains) as string,
    ]);
  });

  it("serves programs on this machine without a key with the one of ollamaKey, and neither pages nor proxies", async () => {
    const server = await startServer({ engine: say, config: { ollamaKey: keys.ada } });
    const ask = async (headers: Readonly<Record<string, string>>, path = "/api/chat"): Promise<number> => {
      // As curl declares a body.
      const form = { "content-type": "application/x-www-form-urlencoded" };
      const response = await fetch(server.url + path, {
        method: "POST",
        body: chat,
        headers: { ...form, ...headers },
      });
      await response.text();
      return response.status;
    };
    expect(await ask({})).toBe(200);
    expect(await server.records()).toMatchObject([{ teamId: "team-1", endpoint: "/api/chat" }]);
    const refused: Record<string, string>[] = [
      { origin: "https://evil.example" },
      { "sec-fetch-site": "cross-site" },
      { "x-forwarded-for": "192.0.2.1" },
      { forwarded: "for=192.0.2.1" },
      { authorization: "Bearer hk-wrong" },
    ];
    for (const headers of refused) expect([headers, await ask(headers)]).toEqual([headers, 401]);
    // Programs that must present a key present this one. Nothing of the operator's is open to them.
    const json = { "content-type": "application/json" };
    expect(await ask({ ...json, authorization: "Bearer ollama" }, "/v1/chat/completions")).toBe(200);
    expect(await ask(json, "/v1/chat/completions")).toBe(200);
    expect(await ask({ ...json, origin: "https://evil.example" }, "/v1/chat/completions")).toBe(401);
    expect(await ask({}, "/api/pull")).toBe(401);
  });

  it("limits what programs without a key may do to the ACLs of ollamaKey", async () => {
    const { url } = await startServer({ engine: say, config: { ollamaKey: keys.eve } });
    const response = await fetch(`${url}/api/chat`, {
      method: "POST",
      body: chat,
      headers: { "content-type": "application/json" },
    });
    expect([response.status, await response.text()]).toEqual([
      403,
      expect.stringContaining("api-key:endpoint:chat") as string,
    ]);
  });

  it("is not there with ollamaApi: off", async () => {
    const { port } = await startServer({ engine: say, config: { ollamaApi: "off" } });
    for (const path of ["/api/version", "/api/tags", "/"])
      expect(
        await exchange(port, `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`),
      ).toMatch(/^HTTP\/1.1 404 /);
  });

  it("reads JSON that curl -d declares as a form, from a program and without a cookie only", async () => {
    const { url } = await startServer({ engine: say });
    const form = { "content-type": "application/x-www-form-urlencoded" };
    const send = async (headers: Record<string, string>) =>
      (await fetch(`${url}/api/chat`, { method: "POST", headers: { ...form, ...headers }, body: chat }))
        .status;
    expect(await send({ authorization: `Bearer ${keys.ada}` })).toBe(200);
    expect(await send({ "x-api-key": keys.ada })).toBe(200);
    expect(await send({ "x-api-key": keys.ada, origin: "https://evil.example" })).toBe(415);
    expect(await send({ "x-api-key": keys.ada, "sec-fetch-site": "same-site" })).toBe(415);
    expect(await send({ authorization: `Bearer ${keys.ada}`, cookie: "session=x" })).toBe(415);
  });
});
