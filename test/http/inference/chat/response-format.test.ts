import { describe, expect, it } from "vitest";
import { firstChoice, requestStream, requestJson } from "../../../kit/clients/chat-answers.js";
import type { ScriptedServer } from "../../../kit/server.js";
import { hello, post } from "../../../kit/server/requests.js";
import { drawing } from "./drawing.js";

/** A grammar cannot require unique items, so that the answer is validated afterwards. */
const distinct = { type: "array", items: { type: "integer" }, uniqueItems: true };
const exact = { type: "object", properties: { a: { type: "integer" } }, required: ["a"] };
const formatOf = (schema: object) => ({ type: "json_schema", json_schema: { name: "it", schema } });
const sent = { ...hello, response_format: formatOf(distinct) };

const seeds = ({ engine }: ScriptedServer) => engine.jobs.map(({ sampling }) => sampling.seed);

describe("an answer whose schema the grammar cannot guarantee", () => {
  it.each([
    ["whole", requestJson],
    ["streamed", requestStream],
  ])(
    "M3: is sampled again with other seeds until it is valid; the valid one is returned, and every attempt counts, %s",
    async (_, send) => {
      const server = await drawing(["[1,1]", "[3,2,3]", "[1,2]"]);
      const answer = await send(server, { ...sent, seed: 5 });
      expect(firstChoice(answer)).toMatchObject({ content: "[1,2]", finish: "stop" });
      const sampled = "[1,1][3,2,3][1,2]".length;
      expect(answer.usage?.completion_tokens).toBe(sampled);
      expect(new Set(seeds(server)).size).toBe(3);
      expect(server.engine.jobs.slice(1).every(({ sampling }) => sampling.temperature > 0)).toBe(true);
      expect(await server.records()).toMatchObject([
        { state: "completed", usage: { completionTokens: sampled } },
      ]);
    },
  );

  it.each([false, true])(
    "M3: is an error before anything is sent when no sample is valid, and each of them counts: stream %s",
    async (stream) => {
      const server = await drawing(["[1,1]", "[2,2]", "[3,3]", "[4]"]);
      const response = await post(server, { ...sent, stream });
      expect(response.status).toBe(500);
      const { error } = (await response.json()) as { error: { message: string; code: string } };
      expect(error.code).toBe("invalid_output");
      expect(error.message).toMatch(/not what was asked for in 3 tries: .*(unique|twice|same|equal)/i);
      expect(error.message).toContain("('uniqueItems' at '#')");
      expect(server.engine.jobs).toHaveLength(3);
      expect(await server.records()).toMatchObject([{ state: "failed", usage: { completionTokens: 15 } }]);
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
    expect(usage?.completion_tokens).toBe("[1,1][1][2]".length);
  });

  it("is streamed only after validation: the stream never contains parts of an invalid sample", async () => {
    const server = await drawing(["[7,7]", "[8]"]);
    const frames = await (await post(server, { ...sent, stream: true })).text();
    expect(frames).not.toContain("7,");
    expect(frames.match(/"finish_reason":"stop"/g)).toHaveLength(1);
  });
});

describe("a schema", () => {
  it.each([
    ["beside json_object", { type: "json_object", schema: distinct }],
    ["beside json_schema", { type: "json_schema", schema: distinct }],
    ["beside an inner object without one", { type: "json_schema", json_schema: {}, schema: distinct }],
  ])("%s is enforced like the inner one, and named where it is written", async (_, response_format) => {
    const server = await drawing(["[1,1]", "[1,2]"]);
    const answer = await requestJson(server, { ...hello, response_format });
    expect(firstChoice(answer)).toMatchObject({ content: "[1,2]", finish: "stop" });
    const bad = { ...response_format, schema: { type: "nothing" } };
    const response = await post(server, { ...hello, response_format: bad });
    expect(await response.json()).toMatchObject({
      error: { code: "invalid_schema", param: "response_format.schema" },
    });
  });

  it("beside json_object of a response's text is enforced, too", async () => {
    const server = await drawing(["[1,1]", "[1,2]"]);
    const text = { format: { type: "json_object", schema: distinct } };
    const response = await server.send("responses", { model: hello.model, input: "Hello", text });
    expect(await response.json()).toMatchObject({
      output: [{ content: [{ text: "[1,2]" }] }],
      text: { format: { type: "json_object" } },
    });
  });

  it.each(["idn-email", "idn-hostname"])(
    "with the format %s, which no grammar enforces, is a client error that names keyword and position",
    async (format) => {
      const server = await drawing([]);
      const properties = { a: { type: "string", format } };
      const response_format = formatOf({ type: "object", properties });
      const response = await post(server, { ...hello, response_format });
      const { error } = (await response.json()) as { error: { message: string; code: string } };
      expect([response.status, error.code]).toEqual([400, "invalid_schema"]);
      expect(error.message).toContain(`${format} cannot be enforced`);
      expect(error.message).toContain("('format' at '#/properties/a')");
    },
  );

  it("in two positions, or in none, is a client error that names the field", async () => {
    const server = await drawing([]);
    const format = (fields: object) => ({ ...hello, response_format: { type: "json_schema", ...fields } });
    const paramOf = async (body: object) => {
      const response = await post(server, body);
      const { error } = (await response.json()) as { error: { param: string } };
      return [response.status, error.param];
    };
    expect(await paramOf(format({ schema: exact, json_schema: { schema: distinct } }))).toEqual([
      400,
      "response_format.schema",
    ]);
    expect(await paramOf(format({}))).toEqual([422, "response_format.json_schema"]);
  });
});

describe("an answer that repeats a key of an object", () => {
  const open = { type: "object", additionalProperties: { type: "integer" }, minProperties: 2 };

  it("is sampled again where it was held back", async () => {
    const server = await drawing(['{"a":1,"a":2}', '{"a":1,"b":2}']);
    const answer = await requestJson(server, { ...hello, response_format: formatOf(open) });
    expect(firstChoice(answer)).toMatchObject({ content: '{"a":1,"b":2}', finish: "stop" });
  });

  it("is never a complete one where the engine did not prevent it", async () => {
    const server = await drawing(['{"a":{"b":1,"b":1}}']);
    const response = await post(server, { ...hello, response_format: { type: "json_object" } });
    expect(await response.json()).toMatchObject({
      error: { code: "invalid_output", message: expect.stringContaining('the key "b" twice') as string },
    });
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
    expect(answer.usage?.completion_tokens).toBe(call("9").length + call("2").length);
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
