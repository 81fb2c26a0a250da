import { expect, it } from "vitest";
import { HearthError } from "../../../src/core/errors.js";
import { startServer } from "../../kit/server.js";
import { headersOf } from "../../kit/server/requests.js";
import { keys } from "../../kit/server/six-keys.js";

const messages = [{ role: "user", content: "Hello" }];

/** Every endpoint that streams an answer, with what it sends in silence and what it makes of an error. */
const endpoints = [
  ["/v1/chat/completions", { messages }, /^: ping\n\n/, /"error":\{"message":"Too late\."/],
  ["/v1/completions", { prompt: "Hello" }, /^: ping\n\n/, /"error":\{"message":"Too late\."/],
  ["/v1/messages", { messages, max_tokens: 9 }, /^event: ping\n/, /event: error\n.*Too late\./],
  [
    "/v1/complete",
    { prompt: "\n\nHuman: Hello\n\nAssistant:", max_tokens_to_sample: 9 },
    /^event: ping\n/,
    /Too late\./,
  ],
  [
    "/v1/responses",
    { input: "Hello" },
    /event: response\.created\n/,
    /event: response\.failed\n.*Too late\./s,
  ],
  ["/api/chat", { messages }, /^\{"model":"ember-1m".*"content":""/, /"error":"Too late\."/],
  ["/api/generate", { prompt: "Hello" }, /^\{"model":"ember-1m".*"response":""/, /"error":"Too late\."/],
] as const;

it.each(endpoints)(
  "%s sends headers and a ping after 15 s of silence before the first token, and a later error as an event",
  async (path, fields, ping, failure) => {
    let release = (): void => undefined;
    const silence = new Promise<void>((resolve) => (release = resolve));
    const late = new HearthError("model_unavailable", "Too late.");
    const server = await startServer({
      engine: function* () {
        yield silence;
        yield late;
      },
    });
    const asked = fetch(server.url + path, {
      method: "POST",
      headers: headersOf(keys.ada),
      body: JSON.stringify({ model: "ember-1m", stream: true, ...fields }),
    });
    await server.nextRun().catch(() => undefined);
    await server.clock.whenWaiting(15_000);
    server.clock.advance(15_000);
    const response = await asked;
    expect(response.status).toBe(200);
    const reader = response.body?.getReader();
    const first = Buffer.from((await reader?.read())?.value ?? []).toString();
    expect(first).toMatch(ping);
    release();
    let rest = first;
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read())
      rest += Buffer.from(part.value).toString();
    expect(rest).toMatch(failure);
    const [run] = await server.records();
    expect(run).toMatchObject({ state: "failed" });
  },
);

it("evaluates the prompt alone with max_tokens 0, and charges no token of an answer", async () => {
  const server = await startServer({ engine: () => ["Yes", " and no."] });
  const post = async (path: string, body: object): Promise<unknown> => {
    const response = await fetch(server.url + path, {
      method: "POST",
      headers: headersOf(keys.ada),
      body: JSON.stringify({ model: "ember-1m", max_tokens: 0, ...body }),
    });
    expect(response.status).toBe(200);
    return response.json();
  };
  expect(await post("/v1/messages", { messages })).toMatchObject({
    content: [],
    stop_reason: "max_tokens",
    usage: { output_tokens: 0 },
  });
  expect(await post("/v1/completions", { prompt: "Hello", echo: true })).toMatchObject({
    choices: [{ text: expect.stringContaining("Hello") as string, finish_reason: "length" }],
    usage: { completion_tokens: 0 },
  });
  expect(server.engine.jobs).toMatchObject([{ maxTokens: 1 }, { maxTokens: 1 }]);
});
