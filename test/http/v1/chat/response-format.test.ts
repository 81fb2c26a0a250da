import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { transcript, type ScriptedOptions } from "../../../../src/engine/scripted.js";
import { first, streamed, whole } from "../../../end-to-end/text/answers.js";
import { template } from "../../../engine/llama/tools/answers.js";
import { compose, hello, keys, post, type TestServer } from "../../compose.js";

/** Rules cannot say that no value comes twice: what they allow is judged. */
const distinct = { type: "array", items: { type: "integer" }, uniqueItems: true };
const exact = { type: "object", properties: { a: { type: "integer" } }, required: ["a"] };
const formatOf = (schema: object) => ({ type: "json_schema", json_schema: { name: "it", schema } });
const asked = { ...hello, response_format: formatOf(distinct) };

/** A server whose model says these texts, one a draw, of as many tokens as bytes. */
async function drawing(texts: readonly string[], options: ScriptedOptions = {}, family = "generic") {
  let draw = 0;
  const script = () => [transcript(template(family), texts[draw++ % texts.length] ?? "")];
  const server = await compose(script, { contextTokens: 4096, ...options });
  return { ...server, client: new OpenAI({ baseURL: `${server.url}/v1`, apiKey: keys.ada, maxRetries: 0 }) };
}

const seeds = ({ engine }: TestServer) => engine.jobs.map(({ sampling }) => sampling.seed);

describe("an answer that its rules do not make sure", () => {
  it.each([
    ["whole", whole],
    ["streamed", streamed],
  ])(
    "is drawn again until it is right, with other dice; only the right one is told and counted, %s",
    async (_, ask) => {
      const server = await drawing(["[1,1]", "[3,2,3]", "[1,2]"]);
      const answer = await ask(server, { ...asked, seed: 5 });
      expect(first(answer)).toMatchObject({ content: "[1,2]", finish: "stop" });
      expect(answer.usage?.completion_tokens).toBe("[1,2]".length);
      expect(new Set(seeds(server)).size).toBe(3);
      expect(server.engine.jobs.slice(1).every(({ sampling }) => sampling.temperature > 0)).toBe(true);
      expect(server.records).toMatchObject([{ state: "completed", usage: { completionTokens: 5 } }]);
    },
  );

  it.each([false, true])(
    "is an error when no draw is right, before anything is sent: stream %s",
    async (stream) => {
      const server = await drawing(["[1,1]", "[2,2]", "[3,3]", "[4]"]);
      const response = await post(server, { ...asked, stream });
      expect(response.status).toBe(500);
      const { error } = (await response.json()) as { error: { message: string; code: string } };
      expect(error.code).toBe("invalid_output");
      expect(error.message).toMatch(/not what was asked for in 3 tries: .*(unique|twice|same|equal)/i);
      expect(server.engine.jobs).toHaveLength(3);
      expect(server.records).toMatchObject([{ state: "failed", usage: { completionTokens: 0 } }]);
      expect(server.scheduler.load).toEqual({ running: 0, waiting: 0 });
    },
  );

  it("that was cut is `length`, told as it is and not drawn again", async () => {
    const server = await drawing(["[1,1]"]);
    const answer = await whole(server, { ...asked, max_tokens: 3 });
    expect(first(answer)).toMatchObject({ content: "[1,", finish: "length" });
    expect(answer.usage?.completion_tokens).toBe(3);
    expect(server.engine.jobs).toHaveLength(1);
  });

  it("that a stop text cut is `length` as well", async () => {
    const server = await drawing(["[1,1]"]);
    for (const ask of [whole, streamed])
      expect(first(await ask(server, { ...asked, stop: ",1" }))).toMatchObject({
        content: "[1",
        finish: "length",
      });
  });

  it("is judged for each of several choices by itself", async () => {
    const server = await drawing(["[1,1]", "[1]", "[2]"], { slots: 1 });
    const { choices, usage } = await whole(server, { ...asked, n: 2 });
    expect(choices.map(({ content }) => content)).toEqual(["[1]", "[2]"]);
    expect(usage?.completion_tokens).toBe(6);
  });

  it("is told once it is known to be right: nothing of a wrong draw is ever in the stream", async () => {
    const server = await drawing(["[7,7]", "[8]"]);
    const frames = await (await post(server, { ...asked, stream: true })).text();
    expect(frames).not.toContain("7,");
    expect(frames.match(/"finish_reason":"stop"/g)).toHaveLength(1);
  });
});

describe("an answer that its rules should have made sure", () => {
  it("is an error and never a whole answer when it is wrong all the same", async () => {
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

describe("arguments that the family's grammar does not make sure", () => {
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
    ["whole", whole],
    ["streamed", streamed],
  ])("are judged before they are told, and drawn again, %s", async (_, ask) => {
    const server = await drawing([call("9"), call("2")], { callsAreExact: false }, "qwen-coder");
    const answer = await ask(server, { ...hello, tools: [tool] });
    expect(first(answer)).toMatchObject({
      content: "",
      finish: "tool_calls",
      calls: [{ name: "set", arguments: '{"count":2}' }],
    });
    expect(answer.usage?.completion_tokens).toBe(call("2").length);
    expect(server.engine.jobs).toHaveLength(2);
  });

  it("are an error that names the tool when no draw is right", async () => {
    const server = await drawing([call("9")], { callsAreExact: false }, "qwen-coder");
    const response = await post(server, { ...hello, tools: [tool] });
    expect(await response.json()).toMatchObject({
      error: { code: "invalid_output", message: expect.stringContaining("arguments of 'set'") as string },
    });
  });
});
