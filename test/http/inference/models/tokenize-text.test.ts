import { describe, expect, it } from "vitest";
import type { TextTokens } from "../../../../src/core/engine.js";
import { type ScriptedServer, startServer, fileServer } from "../../../kit/server.js";
import { headersOf } from "../../../kit/server/requests.js";
import { keys } from "../../../kit/server/six-keys.js";

const shared = fileServer({ engine: () => [] });

function tokenize(server: ScriptedServer, body: object, key: string = keys.ada): Promise<Response> {
  return fetch(`${server.url}/v1/tokenize-text`, {
    method: "POST",
    headers: headersOf(key),
    body: JSON.stringify(body),
  });
}

describe("POST /v1/tokenize-text", () => {
  it("returns id, text and bytes of each token without taking a slot", async () => {
    // The test reads everything that the engine was asked for or the server did.
    const server = await startServer({ engine: () => [] });
    const response = await tokenize(server, { model: "ember", text: "Hé you", user: null });
    expect(await response.json()).toEqual({
      token_ids: [
        { token_id: 0, string_token: "Hé", token_bytes: [72, 195, 169] },
        { token_id: 1, string_token: " you", token_bytes: [32, 121, 111, 117] },
      ],
      model: "ember-1m",
    });
    expect([server.engine.loaded, server.engine.leases]).toEqual([["ember-1m"], 0]);
    expect(await server.records()).toEqual([]);
  });

  it("returns no token for an empty text", async () => {
    const response = await tokenize(shared(), { model: "ember", text: "" });
    expect(await response.json()).toEqual({ token_ids: [], model: "ember-1m" });
  });

  it.each<[string, object, string, number, string]>([
    ["without the ACL", { model: "ember", text: "a" }, keys.bob, 403, "api-key:endpoint:tokenize"],
    ["of an unknown model", { model: "gpt-x", text: "a" }, keys.ada, 404, "model_not_found"],
    ["of an unusable model", { model: "broken-1m", text: "a" }, keys.ada, 503, "model_unavailable"],
    ["without a text", { model: "ember" }, keys.ada, 422, '"param":"text"'],
    ["without a model", { text: "a" }, keys.ada, 422, '"param":"model"'],
  ])("rejects a request %s", async (_case, body, key, status, contains) => {
    const response = await tokenize(shared(), body, key);
    expect(response.status).toBe(status);
    expect(await response.text()).toContain(contains);
  });

  it("F21: lets other requests run after every thousand tokens of its answer", async () => {
    const count = 10_000;
    let [inTurn, most] = [0, 0];
    let isRunning = true;
    const watch = (): void => {
      most = Math.max(most, inTurn);
      inTurn = 0;
      if (isRunning) setImmediate(watch);
    };
    const tokens: TextTokens = {
      length: count,
      *[Symbol.iterator]() {
        for (let id = 0; id < count; id += 1) {
          inTurn += 1;
          yield { id, bytes: [id % 128] };
        }
      },
    };
    const hostedTokenizer = {
      knows: () => true,
      tokenize: () => Promise.resolve(tokens),
      count: () => Promise.resolve(0),
      close: () => Promise.resolve(),
    };
    const server = await startServer({ engine: () => [], hostedTokenizer });
    watch();
    const response = await tokenize(server, { model: "gpt-4o", text: "a" });
    const { token_ids: ids } = (await response.json()) as { token_ids: readonly { token_id: number }[] };
    isRunning = false;
    expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(ids.map(({ token_id: id }) => id)).toEqual(Array.from({ length: count }, (_, id) => id));
    expect(most).toBe(1000);
  });

  it("F3: rejects a text that is so long that it would delay other requests", async () => {
    const server = await startServer({ engine: () => [], config: { bodyBytesMax: 1024 * 1024 } });
    const within = await tokenize(server, { model: "ember", text: "é".repeat(64 * 1024) });
    expect(within.status).toBe(200);
    const beyond = await tokenize(server, { model: "ember", text: "é".repeat(64 * 1024 + 1) });
    expect(beyond.status).toBe(400);
    expect(await beyond.text()).toContain("text: must be at most 131072 bytes");
  });
});
