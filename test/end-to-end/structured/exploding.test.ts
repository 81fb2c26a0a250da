/** Answers whose grammar explodes while it is sampled, in every dialect. The grammar is planted behind the conversion of schemas. */
import { expect, it, vi } from "vitest";
import type { Engine } from "../../../src/core/engine.js";
import { literal } from "../../../src/grammar/gbnf.js";
import { startServer } from "../../kit/server.js";
import { engineOf } from "../../kit/server/built-in.js";
import { builtInModel, testKey } from "../../kit/server/settings.js";
import { chatLine, clientOf, createBatch, linesOf, whenEnded } from "../../kit/clients/batches.js";
import { authorization } from "../../kit/ledger.js";

const left = literal('{"left":');
const explodingRules = new Map([
  ["root0", "e"],
  ["e", ["+", "*", "-"].map((op) => `${left} e ${literal(`,"op":"${op}"}`)}`).join(" | ")],
]);

/** The limit of tokens of the answers whose grammar explodes. */
const marked = 199;

function planted(engine: Engine): Engine {
  return {
    ...engine,
    prompt: (model, source) => engine.prompt(model, source),
    generate: (model, job, signal) => {
      const rules = { rules: explodingRules, text: "root0", toolArguments: [] };
      return engine.generate(model, job.maxTokens === marked ? { ...job, rules } : job, signal);
    },
  };
}

const messages = [{ role: "user", content: "Hello" }];
const routes: readonly (readonly [name: string, path: string, body: object])[] = [
  ["chat", "/v1/chat/completions", { messages, max_tokens: marked }],
  ["completions", "/v1/completions", { prompt: "Hello", max_tokens: marked }],
  ["responses", "/v1/responses", { input: "Hello", max_output_tokens: marked }],
  ["messages", "/v1/messages", { messages, max_tokens: marked }],
  ["Ollama", "/api/chat", { messages, stream: false, options: { num_predict: marked } }],
];

it("D13: an exploding grammar ends its own answer with a clear error, in every dialect, streamed and in a deferred request", async () => {
  const server = await startServer();
  const { url } = await startServer({ engine: planted(engineOf(server)) });
  const post = (path: string, body: object): Promise<Response> =>
    fetch(url + path, {
      method: "POST",
      headers: { ...authorization, "anthropic-version": "2023-06-01" },
      body: JSON.stringify({ model: builtInModel, temperature: 0, ...body }),
    });
  const beside = post("/v1/chat/completions", { messages, max_tokens: 100 });
  const outcomes: unknown[] = [];
  for (const [name, path, body] of routes) {
    const whole = await post(path, body);
    const text = await whole.text();
    outcomes.push([name, whole.status, text.includes("too many ways") && text.includes("/left/left")]);
    const streamed = await (await post(path, { ...body, stream: true })).text();
    outcomes.push([name, "streamed", streamed.includes("too many ways")]);
  }
  expect(outcomes).toEqual(
    routes.flatMap(([name]) => [
      [name, 400, true],
      [name, "streamed", true],
    ]),
  );
  const deferred = await post("/v1/chat/completions", { messages, max_tokens: marked, deferred: true });
  const { request_id: id } = (await deferred.json()) as { request_id: string };
  await vi.waitFor(
    async () => {
      const result = await fetch(`${url}/v1/chat/deferred-completion/${id}`, { headers: authorization });
      expect([result.status, await result.text()]).toEqual([400, expect.stringContaining("too many ways")]);
    },
    { timeout: 60_000, interval: 200 },
  );
  expect((await beside).status).toBe(200);
});

it("D13: an exploding grammar ends its own line of a batch, and the others have answers", async () => {
  const server = await startServer();
  const app = await startServer({ engine: planted(engineOf(server)) });
  const client = clientOf({ url: app.url, apiKey: testKey });
  const limits = [50, marked, 51, marked, 52];
  const lines = limits.map((tokens, nth) =>
    chatLine(`${nth}`, "Hello", { max_tokens: tokens, temperature: 0 }),
  );
  const ended = await whenEnded(client, await createBatch(client, lines));
  expect([ended.status, ended.request_counts]).toEqual(["completed", { total: 5, completed: 3, failed: 2 }]);
  const failed = await linesOf(client, ended.error_file_id);
  expect(failed.map(({ custom_id: id }) => id)).toEqual(["1", "3"]);
  for (const { response } of failed) {
    expect(response?.status_code).toBe(400);
    expect(JSON.stringify(response?.body)).toMatch(/too many ways to read the text at '\/left\/left/);
    expect(response?.body.error?.code).toBe("invalid_schema");
  }
  const answered = await linesOf(client, ended.output_file_id);
  expect(answered.map(({ custom_id: id, response }) => [id, response?.status_code])).toEqual([
    ["0", 200],
    ["2", 200],
    ["4", 200],
  ]);
});
