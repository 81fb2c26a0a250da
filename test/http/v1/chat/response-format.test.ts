import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { transcript, type ScriptedOptions } from "../../../../src/engine/scripted.js";
import { firstChoice, requestStream, requestJson } from "../../../end-to-end/text/answers.js";
import { template } from "../../../engine/llama/tools/answers.js";
import { startScriptedApp, hello, keys, post, type ScriptedApp } from "../../../scripted-app.js";

/** A grammar cannot require unique items, so that the answer is validated afterwards. */
const distinct = { type: "array", items: { type: "integer" }, uniqueItems: true };
const exact = { type: "object", properties: { a: { type: "integer" } }, required: ["a"] };
const formatOf = (schema: object) => ({ type: "json_schema", json_schema: { name: "it", schema } });
const sent = { ...hello, response_format: formatOf(distinct) };

/** Starts a server whose model returns these texts, one for each sample, with one token for each byte. */
async function drawing(texts: readonly string[], options: ScriptedOptions = {}, family = "generic") {
  let draw = 0;
  const script = () => [transcript(template(family), texts[draw++ % texts.length] ?? "")];
  const server = await startScriptedApp(script, { contextTokens: 4096, ...options });
  return { ...server, client: new OpenAI({ baseURL: `${server.url}/v1`, apiKey: keys.ada, maxRetries: 0 }) };
}

const seeds = ({ engine }: ScriptedApp) => engine.jobs.map(({ sampling }) => sampling.seed);

describe("an answer whose schema the grammar cannot guarantee", () => {
  it.each([
    ["whole", requestJson],
    ["streamed", requestStream],
  ])(
    "is sampled again with other seeds until it is valid; only the valid one is returned and counted, %s",
    async (_, send) => {
      const server = await drawing(["[1,1]", "[3,2,3]", "[1,2]"]);
      const answer = await send(server, { ...sent, seed: 5 });
      expect(firstChoice(answer)).toMatchObject({ content: "[1,2]", finish: "stop" });
      expect(answer.usage?.completion_tokens).toBe("[1,2]".length);
      expect(new Set(seeds(server)).size).toBe(3);
      expect(server.engine.jobs.slice(1).every(({ sampling }) => sampling.temperature > 0)).toBe(true);
      expect(await server.records()).toMatchObject([{ state: "completed", usage: { completionTokens: 5 } }]);
    },
  );

  it.each([false, true])(
    "is an error before anything is sent when no sample is valid: stream %s",
    async (stream) => {
      const server = await drawing(["[1,1]", "[2,2]", "[3,3]", "[4]"]);
      const response = await post(server, { ...sent, stream });
      expect(response.status).toBe(500);
      const { error } = (await response.json()) as { error: { message: string; code: string } };
      expect(error.code).toBe("invalid_output");
      expect(error.message).toMatch(/not what was asked for in 3 tries: .*(unique|twice|same|equal)/i);
      expect(server.engine.jobs).toHaveLength(3);
      expect(await server.records()).toMatchObject([{ state: "failed", usage: { completionTokens: 0 } }]);
      expect(server.scheduler.load).toEqual({ running: 0, waiting: 0 });
    },
  );

  it("is returned as it is with finish reason `length` when it was cut, and not sampled again", async () => {
    const server = await drawing(["[1,1]"]);
    const answer = await requestJson(server, { ...sent, max_tokens: 3 });
    expect(firstChoice(answer)).toMatchObject({ content: "[1,", finish: "length" });
    expect(answer.usage?.completion_tokens).toBe(3);
    expect(server.engine.jobs).toHaveLength(1);
  });

  it("has finish reason `length` when a stop text cut it", async () => {
    const server = await drawing(["[1,1]"]);
    for (const send of [requestJson, requestStream])
      expect(firstChoice(await send(server, { ...sent, stop: ",1" }))).toMatchObject({
        content: "[1",
        finish: "length",
      });
  });

  it("is validated for each of several choices separately", async () => {
    const server = await drawing(["[1,1]", "[1]", "[2]"], { slots: 1 });
    const { choices, usage } = await requestJson(server, { ...sent, n: 2 });
    expect(choices.map(({ content }) => content)).toEqual(["[1]", "[2]"]);
    expect(usage?.completion_tokens).toBe(6);
  });

  it("is streamed only after validation: the stream never contains parts of an invalid sample", async () => {
    const server = await drawing(["[7,7]", "[8]"]);
    const frames = await (await post(server, { ...sent, stream: true })).text();
    expect(frames).not.toContain("7,");
    expect(frames.match(/"finish_reason":"stop"/g)).toHaveLength(1);
  });
});

describe("an answer whose schema the grammar should have guaranteed", () => {
  it("is an error and never a complete answer when it is invalid", async () => {
    const server = await drawing(['{"a": "no number"}', '{"a": 1}']);
    const body = { ...hello, response_format: formatOf(exact) };
    const response = await post(server, body);
    expect([response.status, server.engine.jobs.length]).toEqual([500, 1]);
    const frames = await (await post(server, body)).text();
    expect(JSON.parse(frames)).toMatchObject({ choices: [{ finish_reason: "stop" }] });
  });

  it("ends its stream with the error and without a finish reason", async () => {
    const server = await drawing(["no JSON"]);
    const frames = await (
      await post(server, { ...hello, response_format: { type: "json_object" }, stream: true })
    ).text();
    expect(frames).toContain('"code":"invalid_output"');
    expect(frames).not.toMatch(/"finish_reason":"|\[DONE\]/);
  });
});

describe("arguments whose schema the grammar of the model family cannot guarantee", () => {
  const call = (count: string): string =>
    `<tool_call>\n<function=set>\n<parameter=count>\n${count}\n</parameter>\n</function>\n</tool_call>`;
  const tool = {
    type: "function",
    function: {
      name: "set",
      parameters: {
        type: "object",
        properties: { count: { type: "integer", maximum: 3 } },
        required: ["count"],
      },
    },
  };

  it.each([
    ["whole", requestJson],
    ["streamed", requestStream],
  ])("are validated before they are returned, and sampled again, %s", async (_, send) => {
    const server = await drawing([call("9"), call("2")], { callsAreExact: false }, "qwen-coder");
    const answer = await send(server, { ...hello, tools: [tool] });
    expect(firstChoice(answer)).toMatchObject({
      content: "",
      finish: "tool_calls",
      calls: [{ name: "set", arguments: '{"count":2}' }],
    });
    expect(answer.usage?.completion_tokens).toBe(call("2").length);
    expect(server.engine.jobs).toHaveLength(2);
  });

  it("are an error that names the tool when no sample is valid", async () => {
    const server = await drawing([call("9")], { callsAreExact: false }, "qwen-coder");
    const response = await post(server, { ...hello, tools: [tool] });
    expect(await response.json()).toMatchObject({
      error: { code: "invalid_output", message: expect.stringContaining("arguments of 'set'") as string },
    });
  });
});
