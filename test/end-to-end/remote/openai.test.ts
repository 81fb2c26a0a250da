/** Models on servers of texts: a protocol double, and another Hearth. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startChatDouble, type ChatDouble, type ChatReply } from "../../kit/doubles/engines/openai.js";
import { temporaryFolder } from "../../kit/folder.js";
import { runProgram } from "../../kit/program.js";
import { fileServer, startServer } from "../../kit/server.js";
import { builtInModel, testKey } from "../../kit/server/settings.js";
import { eventually, until } from "../../kit/until.js";
import { bodyOf, engineOf, model, post, secret, tools, type Body } from "./far-model.js";

const schema = { type: "object", properties: { mood: { enum: ["glad", "sad"] } }, required: ["mood"] };
const asSchema = { response_format: { type: "json_schema", json_schema: { name: "s", schema } } };

const call = (name: string, ...parts: readonly string[]): readonly object[] => [
  { tool_calls: [{ index: 0, id: "x", type: "function", function: { name, arguments: "" } }] },
  ...parts.map((text) => ({ tool_calls: [{ index: 0, function: { arguments: text } }] })),
];

describe("a model on a server of texts", () => {
  let double: ChatDouble | null = null;
  const shared = fileServer(async (finished) => {
    double = await startChatDouble(finished);
    return { environment: { HEARTH_ENGINES: engineOf(double.url) } };
  });
  const start = (answering: (body: Readonly<Record<string, unknown>>, at: number) => ChatReply) => {
    if (double === null) throw new Error("the double starts with the first test");
    double.restart(answering);
    return { ...shared(), double };
  };

  it("gets the conversation, and its answer and usage are the server's, whole and streamed", async () => {
    const usage = {
      prompt_tokens: 31,
      completion_tokens: 7,
      total_tokens: 38,
      completion_tokens_details: { reasoning_tokens: 3 },
      prompt_tokens_details: { cached_tokens: 16 },
    };
    const deltas = [
      { role: "assistant" },
      { reasoning_content: "Hm." },
      { content: "Hello " },
      { content: "there" },
    ];
    const app = start(() => ({ deltas, usage }));
    const messages = [
      { role: "system", content: "Be short." },
      { role: "user", content: "Hi" },
    ];
    const answer = await post(app, { messages, temperature: 0.5, seed: 7, max_tokens: 20, stop: ["END"] });
    expect(answer.headers.get("x-hearth-not-guaranteed")).toMatch(
      /^weights, template, constraints, token-counts, /,
    );
    expect(answer.headers.get("x-hearth-warning")).toBeNull();
    expect(await answer.json()).toMatchObject({
      model,
      choices: [{ message: { content: "Hello there", reasoning_content: "Hm." }, finish_reason: "stop" }],
      usage: {
        prompt_tokens: 31,
        completion_tokens: 4,
        total_tokens: 38,
        prompt_tokens_details: { cached_tokens: 16 },
      },
    });
    expect(app.double.bodies[0]).toMatchObject({
      model: "other",
      messages,
      temperature: 0.5,
      seed: 7,
      max_tokens: 20,
      stop: ["END"],
      stream: true,
    });
    expect(app.double.keys).toEqual([`Bearer ${secret}`]);
    const streamed = await (
      await post(app, { stream: true, stream_options: { include_usage: true } })
    ).text();
    expect(streamed).toContain('"content":"there"');
    expect(streamed).toMatch(/"usage":\{"prompt_tokens":31,/);
  });

  it("counts the prompt of several answers once, and is charged for what the server has counted", async () => {
    const own = await startChatDouble();
    const usage = { prompt_tokens: 31, completion_tokens: 7, total_tokens: 38 };
    own.restart(() => ({ usage }));
    const file = join(temporaryFolder(), "hearth.yaml");
    writeFileSync(file, `models: { ${model}: { prices: { prompt: 1, completion: 2 } } }\n`);
    const app = await startServer({
      environment: { HEARTH_ENGINES: engineOf(own.url), HEARTH_CONFIG: file },
    });
    const answer = await post(app, {
      n: 2,
      max_tokens: 50,
      messages: [{ role: "user", content: "word ".repeat(50) }],
    });
    expect(await answer.json()).toMatchObject({ usage: { prompt_tokens: 31, completion_tokens: 14 } });
    // A millionth of a dollar is 10,000 ticks.
    expect(answer.headers.get("x-hearth-cost-ticks")).toBe(String(31 * 10_000 + 14 * 20_000));
    expect(own.bodies).toHaveLength(2);
  });

  it("that sends no usage gets estimated numbers of tokens, which the answer says", async () => {
    const app = start(() => ({ deltas: [{ content: "Hello there, friend" }] }));
    const answer = await post(app);
    expect(answer.headers.get("x-hearth-warning")).toMatch(/tokens are estimated/);
    expect(await answer.json()).toMatchObject({ usage: { prompt_tokens: 6, completion_tokens: 5 } });
  });

  it("calls tools, with whole arguments that follow their schema", async () => {
    const app = start(() => ({ deltas: call("add", '{"a"', ": 4}"), finish: "tool_calls" }));
    const { choices } = await bodyOf(post(app, { tools }));
    expect(choices).toMatchObject([
      {
        finish_reason: "tool_calls",
        message: { tool_calls: [{ function: { name: "add", arguments: '{"a": 4}' } }] },
      },
    ]);
    expect(app.double.bodies[0]).toMatchObject({ tools, tool_choice: "auto" });
  });

  it.each([
    ["text that is not JSON of the schema", asSchema, { deltas: [{ content: '{"mood": "angry"}' }] }],
    [
      "arguments that are not of the schema",
      { tools },
      { deltas: call("add", '{"a": "x"}'), finish: "tool_calls" },
    ],
    ["a call of another tool", { tools }, { deltas: call("subtract", "{}"), finish: "tool_calls" }],
    ["no call where one is required", { tools, tool_choice: "required" }, {}],
  ])("never passes on %s", async (_, more, reply) => {
    const app = start(() => reply);
    const answer = await post(app, more);
    expect([answer.status, await answer.text()]).toEqual([
      500,
      expect.stringContaining("not what was asked for"),
    ]);
  });

  it.each([
    ["/v1/chat/completions", { messages: [{ role: "user", content: "Hi" }] }],
    ["/v1/messages", { messages: [{ role: "user", content: "Hi" }], max_tokens: 99 }],
    ["/api/chat", { messages: [{ role: "user", content: "Hi" }] }],
    ["/api/generate", { prompt: "Hi" }],
  ])(
    "ends with a client of %s that leaves, who is charged the last usage that the server has sent",
    async (path, fields) => {
      const usageSoFar = { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 };
      const app = start(() => ({ deltas: [{ content: "Hello there" }], usageSoFar, then: "silence" }));
      const leaving = new AbortController();
      const response = await fetch(app.url + path, {
        method: "POST",
        headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
        body: JSON.stringify({ model, stream: true, ...fields }),
        signal: leaving.signal,
      });
      const reader = response.body?.getReader();
      for (let text = ""; !text.includes("Hello there");)
        text += Buffer.from((await reader?.read())?.value ?? []).toString();
      leaving.abort();
      await until(() => app.double.left === 1);
      await eventually(async () => {
        const [run] = await app.app.runs.list(1);
        expect(run).toMatchObject({ state: "aborted", usage: { promptTokens: 12, completionTokens: 3 } });
      });
    },
  );

  it("says that its server has withheld an answer, which is charged as it was counted", async () => {
    const app = start(() => ({ deltas: [{ content: "Well" }], finish: "content_filter" }));
    const { choices } = await bodyOf(post(app, {}));
    expect(choices[0]).toMatchObject({ message: { content: "Well" }, finish_reason: "content_filter" });
  });

  it("M3: is asked again where its answer does not follow the schema, and every attempt counts", async () => {
    const usage = { prompt_tokens: 5, completion_tokens: 6, total_tokens: 11 };
    const app = start((_, at) => ({ deltas: [{ content: at === 0 ? "{" : '{"mood": "sad"}' }], usage }));
    const { choices, usage: charged } = await bodyOf(post(app, asSchema));
    expect(choices[0]?.message["content"]).toBe('{"mood": "sad"}');
    expect(charged).toMatchObject({ prompt_tokens: 10, completion_tokens: 12 });
    expect(app.double.bodies).toHaveLength(2);
    expect(app.double.bodies[0]).toMatchObject({
      response_format: { type: "json_schema", json_schema: { schema } },
    });
  });

  it.each([
    [
      "that is too long for it",
      400,
      { message: "maximum context length is 4096 tokens", code: "context_length_exceeded" },
      400,
      "context_length_exceeded",
    ],
    [
      "with a field that it does not have",
      400,
      { message: "no such field" },
      400,
      "refuses the request (400)",
    ],
    ["for a model that it does not have", 404, { message: "no such model" }, 503, "does not have it"],
    ["while it has too many", 429, { message: `slow down, ${secret}` }, 429, "it answered 429"],
    ["with a key that it refuses", 401, { message: `wrong key ${secret}` }, 503, "refuses the apiKey"],
  ])("refuses a request %s: the error says so, without the key", async (_, status, error, expected, text) => {
    const app = start(() => ({ status, error }));
    const answer = await post(app);
    const body = await answer.text();
    expect([answer.status, body]).toEqual([expected, expect.stringContaining(text)]);
    expect(body).not.toContain(secret);
  });

  it.each([
    ["top_k", { top_k: 5 }],
    ["logprobs", { logprobs: true }],
    ["logit_bias", { logit_bias: { "5": 1 } }],
  ])("does not get %s: the request is refused and names it", async (field, more) => {
    const app = start(() => ({}));
    const answer = await post(app, more);
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(field)]);
    expect(app.double.bodies).toEqual([]);
  });

  it("is not asked again after its first token, and is ended when the client leaves", async () => {
    const app = start(() => ({ deltas: [{ content: "one " }], then: "connection lost" }));
    expect(await (await post(app, { stream: true })).text()).toMatch(/one [^]*connection was lost/);
    expect(app.double.bodies).toHaveLength(1);
    const leaving = new AbortController();
    app.double.restart(() => ({ deltas: [{ content: "one " }], then: "silence" }));
    const asked = fetch(`${app.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
      body: JSON.stringify({ model, messages: [{ role: "user", content: "Hi" }] }),
      signal: leaving.signal,
    });
    await until(() => app.double.bodies.length === 1);
    leaving.abort();
    await expect(asked).rejects.toThrow();
    await until(() => app.double.left === 1);
  });

  it("is answered by another server of the model where one fails before its first token", async () => {
    const [broken, whole] = [await startChatDouble(), await startChatDouble()];
    broken.restart(() => ({ status: 500 }));
    const app = await startServer({ environment: { HEARTH_ENGINES: engineOf([broken.url, whole.url]) } });
    for (let at = 0; at < 8; at += 1)
      await bodyOf(post(app, { messages: [{ role: "user", content: `Question ${at}` }] }));
    expect(whole.bodies).toHaveLength(8);
    expect(broken.bodies.length).toBeGreaterThan(0);
  });

  it("needs its contextTokens, which other kinds must not have", async () => {
    const models = [{ id: model, name: "other" }];
    const wrong = JSON.stringify([{ kind: "openai", url: "http://127.0.0.1:1/v1", models }]);
    await expect(startServer({ environment: { HEARTH_ENGINES: wrong } })).rejects.toThrow(
      /engines\.0\.models\.0 .*contextTokens/,
    );
  });
});

describe("a model on another Hearth, as a server of texts", () => {
  const foreign = fileServer();
  const shared = fileServer(async () => {
    foreign();
    return { environment: { HEARTH_ENGINES: engineOf(`${foreign().url}/v1`, testKey, builtInModel) } };
  });

  it.each([
    ["text", { temperature: 0, max_tokens: 30 }],
    ["a schema", { temperature: 0, max_tokens: 60, ...asSchema }],
    ["a required call", { temperature: 0, max_tokens: 60, tools, tool_choice: "required" }],
  ])("answers as it does: %s, with the same usage", async (_, more) => {
    const there = await bodyOf(post(foreign(), { model: builtInModel, ...more }));
    const here = await bodyOf(post(shared(), more));
    const shown = ({ choices, usage }: Body) => ({
      content: choices[0]?.message["content"],
      finish: choices[0]?.finish_reason,
      calls: JSON.stringify(choices[0]?.message["tool_calls"] ?? []).replaceAll(/"id":"[^"]*"/g, ""),
      tokens: [usage["prompt_tokens"], usage["completion_tokens"], usage["total_tokens"]],
    });
    expect(shown(here)).toEqual(shown(there));
  });

  it("is shown with what is not guaranteed, and without its key", async () => {
    const run = runProgram(["show", model], {
      HEARTH_DATA: join(temporaryFolder(), "data"),
      HEARTH_ENGINES: engineOf(`${foreign().url}/v1`, testKey, builtInModel),
    });
    await run.exited;
    expect(run.stdout()).toMatch(/not guaranteed +weights, template, constraints/);
    expect(run.stdout()).toMatch(/openai at .*it is ready/);
    expect(run.stdout() + run.stderr()).not.toContain(testKey);
  });
});
