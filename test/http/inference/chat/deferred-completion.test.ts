import { describe, expect, it } from "vitest";
import type { GenerationEvent } from "../../../../src/core/generation.js";
import { type Script } from "../../../kit/scripted/engine.js";
import { transcript } from "../../../kit/scripted/transcript.js";
import { template, tools } from "../../../kit/engine/tool-answers.js";
import { startServer, fileServer } from "../../../kit/server.js";
import { headersOf, hello, post } from "../../../kit/server/requests.js";
import { keys } from "../../../kit/server/six-keys.js";
import { gate } from "../../../kit/until.js";
import { exchange } from "../../../kit/clients/raw.js";
import {
  postDirect,
  fetchDeferred,
  waitForOutcome,
  postDeferred,
  createDeferred,
  omitFields,
} from "../../../kit/clients/deferred.js";

const shared = fileServer({ engine: () => [] });

const unknown = "0193a1c2-5d7e-7c40-9b1f-ffffffffffff";
const volatileFields = ["id", "created"] as const;

describe("a deferred completion", () => {
  it("is accepted at once, is pending while the engine works, is returned once, and is then deleted", async () => {
    const wait = gate();
    const server = await startServer({ engine: () => ["Good", wait.opened, " day."] });
    const running = server.nextRun();
    const id = await createDeferred(server);
    const run = await running;
    for (let look = 0; look < 3; look++) {
      const pending = await fetchDeferred(server, id);
      expect([pending.status, await pending.json()]).toEqual([202, { request_id: id, status: "pending" }]);
    }
    server.clock.advance(5000);
    wait.open();
    await run.finished;
    const response = await fetchDeferred(server, id);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toMatch(/^application\/json/);
    const answer = (await response.json()) as { created: number };
    expect(answer).toMatchObject({
      id,
      object: "chat.completion",
      created: Date.UTC(2026, 10, 21, 8, 0, 1) / 1000,
    });
    expect(omitFields(answer, ...volatileFields)).toEqual(
      omitFields(await postDirect(server, hello), ...volatileFields),
    );
    for (const again of [id, id.toUpperCase()]) expect((await fetchDeferred(server, again)).status).toBe(404);
  });

  it("can be fetched by its id in capital letters, and with another key of its team", async () => {
    const server = await startServer({ engine: () => ["Good day."] });
    const id = await createDeferred(server);
    const answer = await waitForOutcome(server, id.toUpperCase());
    expect([answer.status, await answer.json()]).toEqual([200, expect.objectContaining({ id })]);
    const second = await createDeferred(server);
    expect((await waitForOutcome(server, second, keys.bob)).status).toBe(200);
  });

  it("has one settled row in the usage table, under its own id", async () => {
    const server = await startServer({ engine: () => ["Good", " day."] });
    const id = await createDeferred(server);
    await waitForOutcome(server, id);
    expect(await server.records()).toMatchObject([
      { requestId: id, endpoint: "/v1/chat/completions", state: "completed", apiKeyId: "key-of-ada" },
    ]);
    expect((await server.records())[0]?.usage).toMatchObject({ promptTokens: 3, completionTokens: 2 });
  });

  it("is not deleted by HEAD, which returns no body", async () => {
    const server = await startServer({ engine: () => ["Good day."] });
    const running = server.nextRun();
    const id = await createDeferred(server);
    await (
      await running
    ).finished;
    const head = [
      `HEAD /v1/chat/deferred-completion/${id} HTTP/1.1`,
      "host: localhost",
      `authorization: Bearer ${keys.ada}`,
      "connection: close",
    ];
    const answer = await exchange(server.port, `${head.join("\r\n")}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1.1 405 /);
    expect(answer).toMatch(/^allow: GET\r$/im);
    expect((await fetchDeferred(server, id)).status).toBe(200);
  });
});

const logprob = (token: string) => ({ text: token, bytes: [...Buffer.from(token)], logprob: -0.5 });
const scored: readonly GenerationEvent[] = [
  {
    type: "text-delta",
    choice: 0,
    text: "Good",
    tokens: 1,
    logprobs: [{ ...logprob("Good"), top: [logprob("Good"), logprob("Bad")] }],
  },
];
const wireTools = tools.map((tool) => ({ type: "function", function: tool }));
const call = '<tool_call>\n{"name": "note", "arguments": {"title": "a", "tags": [1]}}\n</tool_call>';
const json = '{"text": "a"}';
const schema = {
  type: "object",
  properties: { text: { type: "string" } },
  required: ["text"],
  additionalProperties: false,
};

describe("a deferred completion equals the answer to the same direct request", () => {
  it.each<[string, object, Script]>([
    ["with tools", { tools: wireTools }, () => [transcript(template("hermes"), call, 3)]],
    ["with functions", { functions: tools }, () => [transcript(template("hermes"), call, 3)]],
    [
      "with a response format",
      { response_format: { type: "json_schema", json_schema: { name: "a", schema } } },
      () => [json],
    ],
    ["with several choices", { n: 3, seed: 5 }, (_, job) => [`My dice are ${job.sampling.seed}.`]],
    ["with logprobs", { logprobs: true, top_logprobs: 2 }, () => scored],
    ["with a stop text and a bound", { stop: ["never"], max_tokens: 2 }, () => ["one", " two", " three"]],
    ["for a model asked for by another name", { model: "ember" }, () => ["Good day."]],
  ])("%s", async (_case, fields, script) => {
    const server = await startServer({ engine: script, contextTokens: 4096, slots: 4 });
    const body = { ...hello, ...fields };
    const direct = await postDirect(server, body);
    const response = await waitForOutcome(server, await createDeferred(server, body));
    expect(response.status).toBe(200);
    const deferred = (await response.json()) as object;
    const bare = (answer: object): unknown =>
      JSON.parse(JSON.stringify(omitFields(answer, ...volatileFields)).replaceAll(/"call_[^"]*"/g, '"call"'));
    expect(bare(deferred)).toEqual(bare(direct));
  });
});

describe("a request with deferred: true", () => {
  it.each<[string, object, string, number, string | null]>([
    ["together with a stream", { stream: true }, keys.ada, 400, "deferred"],
    ["a field of the wrong type", { temperature: "hot" }, keys.ada, 422, "temperature"],
    ["an unknown model", { model: "gone-2m" }, keys.ada, 404, "model"],
    ["a model that cannot be loaded", { model: "broken-1m" }, keys.ada, 503, "model"],
    ["without the right to the model", {}, keys.bob, 403, "model"],
    ["without the right to chat", {}, keys.cleo, 403, null],
    ["with no right at all", {}, keys.eve, 403, null],
    ["with a key that nobody has", {}, "a-key-that-nobody-ever-had", 401, null],
  ])("%s is rejected at once, and nothing is queued", async (_case, fields, key, status, param) => {
    const server = await startServer({ engine: () => ["Good day."] });
    const refused = await postDeferred(server, { ...hello, ...fields }, key);
    const { error } = (await refused.json()) as { error: { param: string | null } };
    expect([refused.status, error.param]).toEqual([status, param]);
    // The next id is the first one: no rejected request has used an id.
    await waitForOutcome(server, await createDeferred(server));
    expect(server.engine.jobs).toHaveLength(1);
    expect(await server.records()).toHaveLength(1);
  });

  it("is answered directly when deferred is false or null", async () => {
    const server = await startServer({ engine: () => ["Good day."] });
    for (const deferred of [false, null]) {
      const response = await post(server, { ...hello, deferred });
      expect(await response.json()).toHaveProperty("choices.0.message.content", "Good day.");
    }
  });
});

describe("GET /v1/chat/deferred-completion/{request_id}", () => {
  it.each(["1", "0193a1c2", `${unknown}0`, `{${unknown}}`, "..%2f..%2fetc", "%00", "' or 1=1 --"])(
    "rejects the malformed id %j with the name of the parameter",
    async (id) => {
      const server = shared();
      const response = await fetchDeferred(server, encodeURIComponent(decodeURIComponent(id)));
      expect(response.status).toBe(400);
      expect(await response.json()).toHaveProperty("error.param", "request_id");
    },
  );

  it("requires a key, the ACL for chat, and the id of a deferred completion", async () => {
    const server = shared();
    const url = `${server.url}/v1/chat/deferred-completion/${unknown}`;
    expect((await fetch(url)).status).toBe(401);
    expect((await fetchDeferred(server, unknown, keys.eve)).status).toBe(403);
    expect((await fetchDeferred(server, unknown, keys.cleo)).status).toBe(403);
    expect((await fetchDeferred(server, unknown)).status).toBe(404);
    const posted = await fetch(url, { method: "POST", headers: headersOf(keys.ada), body: "{}" });
    expect(posted.status).toBe(405);
  });
});
