import { describe, expect, it } from "vitest";
import type OpenAI from "openai";
import { fileServer } from "../../kit/server.js";
import {
  firstChoice,
  type FoldedCall,
  requestStream,
  tokenCalled,
  requestJson,
} from "../../kit/clients/chat-answers.js";

const shared = fileServer();

type Tool = OpenAI.Chat.Completions.ChatCompletionFunctionTool;

const tool = (name: string, properties: object, description = "A tool."): Tool => ({
  type: "function",
  function: {
    name,
    description,
    parameters: {
      type: "object",
      properties,
      required: Object.keys(properties),
      additionalProperties: false,
    },
  },
});
const text = { type: "string", maxLength: 20 };
const weather = tool("get_weather", { city: text }, "Get the weather of a city.");
const time = tool("get_time", { zone: { enum: ["UTC", "CET"] } }, "The time in a zone.");
const add = tool("add", { a: { type: "integer", minimum: 0, maximum: 99 }, b: { type: "boolean" } });
const all = [weather, time, add];
const askWeather = [{ role: "user" as const, content: "What is the weather in Paris?" }];
const named = (name: string) => ({ type: "function", function: { name } });
const allowed = (mode: string, ...names: readonly string[]) => ({
  type: "allowed_tools",
  allowed_tools: { mode, tools: names.map(named) },
});
/** Keeps the model from ending its turn where anything else can follow. */
const talkative = async () => ({
  tools: all,
  tool_choice: "required",
  max_tokens: 160,
  logit_bias: { [await tokenCalled("<|im_end|>")]: -100, [await tokenCalled("<|endoftext|>")]: -100 },
});

/** Checks arguments against the schema of their tool by hand. */
function expectRight({ name, arguments: json }: FoldedCall): void {
  const given = JSON.parse(json) as Record<string, unknown>;
  const keys = { get_weather: ["city"], get_time: ["zone"], add: ["a", "b"] }[name];
  expect(Object.keys(given).sort()).toEqual(keys);
  if (name === "get_weather") expect(typeof given["city"]).toBe("string");
  else if (name === "get_time") expect(["UTC", "CET"]).toContain(given["zone"]);
  else expect([Number.isInteger(given["a"]), typeof given["b"]]).toEqual([true, "boolean"]);
}

describe("tool_choice", () => {
  it("auto lets the model decide: it calls a tool with valid arguments and no other text, or answers with text", async () => {
    const app = shared();
    for (const body of [{ tools: [weather] }, { tools: [weather], tool_choice: "auto" }]) {
      const called = firstChoice(await requestJson(app, { ...body, messages: askWeather }));
      expect(called).toMatchObject({ content: "", finish: "tool_calls", calls: [{ name: "get_weather" }] });
      called.calls.forEach(expectRight);
      const talked = firstChoice(await requestJson(app, body));
      expect(talked).toMatchObject({ finish: "stop", calls: [] });
      expect(talked.content.trim()).not.toBe("");
    }
  });

  it("none calls no tool, and the prompt does not contain the tools", async () => {
    const app = shared();
    const body = { messages: askWeather, max_tokens: 40, deterministic: true };
    const plain = await requestJson(app, body);
    const none = await requestJson(app, { ...body, tools: all, tool_choice: "none" });
    expect(none).toEqual({ ...plain, usage: { ...none.usage } });
    expect(none.usage?.prompt_tokens).toBe(plain.usage?.prompt_tokens);
  });

  it("D13: the items of an argument with uniqueItems differ, with log probabilities, too", async () => {
    const items = {
      type: "object",
      properties: { name: { type: "string", maxLength: 4 } },
      required: ["name"],
      additionalProperties: false,
    };
    const list = tool("list", { all: { type: "array", uniqueItems: true, items, minItems: 4, maxItems: 6 } });
    for (const logprobs of [false, true])
      for (const seed of [1, 2]) {
        const sampling = { seed, temperature: seed === 1 ? 0 : 1.5, logprobs, reasoning_effort: "none" };
        const body = { tools: [list], tool_choice: named("list"), ...sampling };
        const { calls, finish } = firstChoice(await requestJson(shared(), body));
        expect(finish).toBe("tool_calls");
        const given = JSON.parse(calls[0]?.arguments ?? "") as { all: readonly { name: string }[] };
        expect(new Set(given.all.map(({ name }) => name)).size).toBe(given.all.length);
      }
  });

  it("required calls at least one of the tools, whatever the prompt", async () => {
    const app = shared();
    for (const temperature of [0, 1.5]) {
      const answer = await requestJson(app, {
        tools: all,
        tool_choice: "required",
        temperature,
        seed: 5,
        n: 4,
      });
      for (const { calls, content, finish } of answer.choices) {
        expect([content, finish]).toEqual(["", "tool_calls"]);
        expect(calls.length).toBeGreaterThan(0);
        calls.forEach(expectRight);
      }
    }
  });

  it.each(["get_weather", "get_time", "add"])("of %s by name calls that tool once", async (name) => {
    const app = shared();
    for (const messages of [askWeather, [{ role: "user", content: "Hello!" }]]) {
      const { calls, finish } = firstChoice(
        await requestJson(app, { messages, tools: all, tool_choice: named(name) }),
      );
      expect([finish, calls.map((call) => call.name)]).toEqual(["tool_calls", [name]]);
      calls.forEach(expectRight);
    }
  });

  it("allowed_tools calls only those, although the prompt contains all tools", async () => {
    const app = shared();
    const forced = await requestJson(app, {
      messages: askWeather,
      tools: all,
      tool_choice: allowed("required", "get_time", "add"),
      temperature: 1.2,
      seed: 3,
      n: 4,
    });
    for (const { calls } of forced.choices) {
      for (const { name } of calls) expect(["get_time", "add"]).toContain(name);
      calls.forEach(expectRight);
    }
    const free = await requestJson(app, {
      messages: askWeather,
      tools: all,
      tool_choice: allowed("auto", "add"),
    });
    for (const { name } of firstChoice(free).calls) expect(name).toBe("add");
    expect(free.usage?.prompt_tokens).toBe(forced.usage?.prompt_tokens);
  });

  it.each<[string, object, string]>([
    ["a choice of an unknown tool", { tools: [weather], tool_choice: named("no") }, "tool_choice"],
    ["a forced choice without tools", { tool_choice: "required" }, "tool_choice"],
    ["an unknown choice", { tools: [weather], tool_choice: "sometimes" }, "tool_choice"],
    ["an unknown allowed tool", { tools: [weather], tool_choice: allowed("auto", "no") }, "tool_choice"],
    ["no allowed tool", { tools: [weather], tool_choice: allowed("auto") }, "tool_choice"],
    ["two tools of one name", { tools: [weather, time, weather] }, "tools"],
    ["two functions of one name", { functions: [{ name: "f" }, { name: "f" }] }, "functions"],
    [
      "a call of an unknown function",
      { functions: [{ name: "f" }], function_call: { name: "g" } },
      "function_call",
    ],
    ["a tool without a name", { tools: [weather, tool("", {})] }, "tools.1.function.name"],
    ["a line break in a name", { tools: [tool("a\nb", {})] }, "tools.0.function.name"],
    ["an unpaired surrogate in a name", { tools: [tool("half \ud83d", {})] }, "tools.0.function.name"],
    ["a name that is too long", { tools: [tool("x".repeat(257), {})] }, "tools.0.function.name"],
    ["1,001 tools", { tools: Array.from({ length: 1001 }, (_, at) => tool(`t${at}`, {})) }, "tools"],
    [
      "parameters that are not a schema",
      { tools: [tool("f", { x: { type: "text" } })] },
      "tools.0.function.parameters",
    ],
  ])("D8: %s is rejected with a 400 that names the field", async (_case, body, param) => {
    const app = shared();
    await expect(requestJson(app, body)).rejects.toMatchObject({ status: 400, param });
  });
});

describe("tool calls", () => {
  it("come one per chunk and are the same streamed and as JSON", async () => {
    const app = shared();
    const bodies = [
      { messages: askWeather, tools: [weather] },
      { tools: all, tool_choice: "required" },
      { tools: all, tool_choice: "required", temperature: 1.3, seed: 8, n: 3 },
      await talkative(),
      { tools: all },
    ];
    for (const asked of bodies) {
      const body = { ...asked, deterministic: true };
      const [json, frames] = [await requestJson(app, body), await requestStream(app, body)];
      const idless = (answer: typeof json) =>
        answer.choices.map(({ calls, ...rest }) => ({
          ...rest,
          calls: calls.map(({ id: _, ...call }) => call),
        }));
      expect(idless(frames)).toEqual(idless(json));
      expect(frames.usage?.completion_tokens).toBe(json.usage?.completion_tokens);
    }
  });

  it("are at most one with parallel_tool_calls false, under either name, and several otherwise", async () => {
    const app = shared();
    const ask = async (more: object) =>
      firstChoice(await requestJson(app, { ...(await talkative()), ...more }));
    for (const key of ["parallel_tool_calls", "parallel_function_calling"]) {
      const { calls, finish } = await ask({ [key]: false });
      expect([calls.length, finish]).toEqual([1, "tool_calls"]);
      calls.forEach(expectRight);
    }
    const several = await ask({});
    expect(several.calls.length).toBeGreaterThan(2);
    expect(several.finish).toBe("length");
    several.calls.slice(0, -1).forEach(expectRight);
  });

  it("have unique ids in every choice and every answer", async () => {
    const app = shared();
    const body = { ...(await talkative()), n: 3 };
    const ids = [await requestJson(app, body), await requestStream(app, body)].flatMap(({ choices }) =>
      choices.flatMap(({ calls }) => calls.map(({ id }) => id)),
    );
    expect(ids.length).toBeGreaterThan(12);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^call_[0-9a-z]+$/);
  });

  it("and their results are part of the prompt in later turns", async () => {
    const app = shared();
    const choice = firstChoice(await requestJson(app, { messages: askWeather, tools: [weather] }));
    const [call] = choice.calls;
    const { id, ...called } = call ?? { id: "", name: "", arguments: "" };
    const turn = {
      role: "assistant",
      content: null,
      tool_calls: [{ id, type: "function", function: called }],
    };
    const answerTo = async (content: string) => {
      const messages = [...askWeather, turn, { role: "tool", tool_call_id: id, content }];
      return requestJson(app, { messages, tools: [weather] });
    };
    const [sunny, rainy] = [await answerTo("Sunny, 21 degrees"), await answerTo("Rain, 7 degrees")];
    expect(firstChoice(sunny)).toMatchObject({ calls: [], finish: "stop" });
    expect(firstChoice(sunny).content).not.toBe(firstChoice(rainy).content);
    const before = await requestJson(app, { messages: askWeather, tools: [weather] });
    expect(sunny.usage?.prompt_tokens).toBeGreaterThan(before.usage?.prompt_tokens ?? Infinity);
  });

  it("that max_tokens truncates have the finish_reason length, never tool_calls", async () => {
    const app = shared();
    const body = { messages: askWeather, tools: [weather], tool_choice: "required" };
    const { usage } = await requestJson(app, body);
    for (let bound = 1; bound < (usage?.completion_tokens ?? 0); bound += 1)
      for (const answer of [
        await requestJson(app, { ...body, max_tokens: bound }),
        await requestStream(app, { ...body, max_tokens: bound }),
      ])
        expect(firstChoice(answer)).toMatchObject({ finish: "length", content: "" });
  });

  it("are returned as function_call to a client that sent functions", async () => {
    const app = shared();
    const ask = async (body: object, stream: boolean) => {
      const answer = await fetch(`${app.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${app.client.apiKey}`, "content-type": "application/json" },
        body: JSON.stringify({
          model: "hearth-tiny-5m",
          messages: askWeather,
          functions: all.map((each) => each.function),
          temperature: 0,
          stream,
          ...body,
        }),
      });
      return answer.text();
    };
    for (const call of [{ name: "add" }, "auto", undefined]) {
      const json = JSON.parse(await ask({ function_call: call }, false)) as OpenAI.ChatCompletion;
      const [choice] = json.choices;
      expect(choice?.finish_reason).toBe("function_call");
      expect(choice?.message).not.toHaveProperty("tool_calls");
      const { name = "", arguments: given = "" } = choice?.message.function_call ?? {};
      expectRight({ id: "", name, arguments: given });
      const frames = await ask({ function_call: call }, true);
      expect(frames).toContain(`"delta":{"function_call":${JSON.stringify({ name, arguments: given })}}`);
    }
    const none = JSON.parse(await ask({ function_call: "none" }, false)) as OpenAI.ChatCompletion;
    expect(none.choices[0]?.message).not.toHaveProperty("function_call");
  });
});
