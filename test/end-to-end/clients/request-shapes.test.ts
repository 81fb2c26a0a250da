/**
 * Response formats that real clients fail on, one test for each. The clients are real; the answers are scripted, so that each
 * contains the format in question.
 */
import Anthropic from "@anthropic-ai/sdk";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createXai } from "@ai-sdk/xai";
import { ChatAnthropic } from "@langchain/anthropic";
import { generateText, jsonSchema, streamText, type LanguageModel, type ToolSet } from "ai";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import type { GenerationEvent } from "../../../src/core/generation.js";
import { type ScriptedServer, startServer } from "../../kit/server.js";
import { keys } from "../../kit/server/six-keys.js";
import { collect, rejection } from "./client-requests.js";

const model = "ember-1m";
const messages = [{ role: "user" as const, content: "Hello" }];
const options = ({ url }: ScriptedServer) => ({ baseURL: `${url}/v1`, apiKey: keys.ada });
const openai = (server: ScriptedServer) => new OpenAI({ ...options(server), maxRetries: 0 });
const anthropic = ({ url }: ScriptedServer) =>
  new Anthropic({ baseURL: url, apiKey: keys.ada, maxRetries: 0 });

const thought = (text: string): GenerationEvent => ({ type: "reasoning-delta", choice: 0, text, tokens: 1 });
const text = (said: string): GenerationEvent => ({ type: "text-delta", choice: 0, text: said, tokens: 1 });
const end = (finishReason: "stop" | "tool_calls"): GenerationEvent => ({
  type: "generation-end",
  choice: 0,
  stopSequence: null,
  finishReason,
});
/** A tool call whose arguments come in several deltas. */
const call = (index: number, name: string, ...pieces: string[]): GenerationEvent[] => [
  { type: "tool-call-start", choice: 0, index, id: `call_${index}`, name, tokens: 1 },
  ...pieces.map(
    (json) => ({ type: "tool-call-delta", choice: 0, index, arguments: json, tokens: 1 }) as const,
  ),
  { type: "tool-call-end", choice: 0, index, tokens: 0 },
];

/** Equal reasoning deltas, text, and two parallel tool calls; the second tool has no parameters. */
const busy = [
  ...["ha", "ha", "ha", "!", "!", "."].map(thought),
  text("Both."),
  ...call(0, "get_weather", '{"ci', 'ty":"Bern"}'),
  ...call(1, "get_time", "{}"),
  end("tool_calls"),
];
const tools: ToolSet = {
  get_weather: { inputSchema: jsonSchema({ type: "object", properties: { city: { type: "string" } } }) },
  get_time: { inputSchema: jsonSchema({ type: "object", properties: {} }) },
};
const called = [
  { toolName: "get_weather", input: { city: "Bern" } },
  { toolName: "get_time", input: {} },
];

/** Returns the parts of an answer from the AI SDK, not streamed and streamed. */
async function bothWays(languageModel: LanguageModel, more: object = {}) {
  const request = { model: languageModel, messages: messages, maxRetries: 0, tools, ...more };
  const whole = await generateText(request);
  const errors: unknown[] = [];
  const streamed = streamText({ ...request, onError: ({ error }) => void errors.push(error) });
  await streamed.consumeStream();
  expect(errors).toEqual([]);
  return [
    whole,
    {
      text: await streamed.text,
      reasoningText: await streamed.reasoningText,
      toolCalls: await streamed.toolCalls,
      finishReason: await streamed.finishReason,
      usage: await streamed.usage,
    },
  ];
}

describe("the AI SDK's xai model", () => {
  it("gets all reasoning although its deltas are equal, and every tool call completely", async () => {
    const server = await startServer({ engine: () => busy });
    const answers = await bothWays(createXai(options(server)).chat(model));
    for (const answer of answers)
      expect(answer).toMatchObject({
        reasoningText: "hahaha!!.",
        text: "Both.",
        toolCalls: called,
        finishReason: "tool-calls",
        usage: { outputTokens: 6 + 6, outputTokenDetails: { reasoningTokens: 6 } },
      });
  });

  it("reads responses: reasoning with its state, text with its log probabilities, calls with their ids", async () => {
    const server = await startServer({ engine: () => busy });
    for (const answer of await bothWays(createXai(options(server)).responses(model)))
      expect(answer).toMatchObject({
        reasoningText: "hahaha!!.",
        text: "Both.",
        toolCalls: called,
        finishReason: "tool-calls",
        usage: { outputTokens: 12 },
      });
  });

  it("reads the message of an error response and of a failed stream from the combined body of xAI and OpenAI", async () => {
    const server = await startServer({ engine: () => busy });
    const request = { model: createXai(options(server)).chat("gpt-x"), messages: messages, maxRetries: 0 };
    expect(await rejection(generateText(request))).toMatchObject({
      statusCode: 404,
      message: "The model 'gpt-x' does not exist or your team has no access to it.",
    });
  });
});

describe("the AI SDK's openai model", () => {
  it("distinguishes parallel tool calls by their index", async () => {
    const server = await startServer({ engine: () => busy });
    for (const answer of await bothWays(createOpenAI(options(server)).chat(model)))
      expect(answer).toMatchObject({ text: "Both.", toolCalls: called, finishReason: "tool-calls" });
  });

  it("reads responses: every tool call with its state, and the usage", async () => {
    const server = await startServer({ engine: () => busy });
    for (const answer of await bothWays(createOpenAI(options(server))(model)))
      expect(answer).toMatchObject({
        text: "Both.",
        toolCalls: called,
        finishReason: "tool-calls",
        usage: { outputTokens: 12, outputTokenDetails: { reasoningTokens: 6 } },
      });
  });

  it("reads a completion's log probabilities, none of which is null, and its finish reason", async () => {
    const logprobs = ["Good", " day."].map((each, at) => ({
      text: each,
      bytes: [...Buffer.from(each)],
      logprob: -at,
      top: [],
    }));
    const delta: GenerationEvent = { type: "text-delta", choice: 0, text: "Good day.", tokens: 2, logprobs };
    const server = await startServer({ engine: () => [delta] });
    const request = {
      model: createOpenAI(options(server)).completion(model),
      prompt: "Hello",
      maxRetries: 0,
      providerOptions: { openai: { logprobs: 2 } },
    };
    const whole = await generateText(request);
    const streamed = streamText(request);
    for (const [answer, finish, facts] of [
      [whole.text, whole.finishReason, whole.providerMetadata],
      [await streamed.text, await streamed.finishReason, await streamed.providerMetadata],
    ] as const) {
      expect([answer, finish]).toEqual(["Good day.", "stop"]);
      expect(facts).toMatchObject({ openai: { logprobs: { token_logprobs: [0, -1] } } });
    }
  });

  it("reports a failure in mid-stream", async () => {
    const server = await startServer({ engine: () => ["Good", new Error("lost")] });
    const errors: unknown[] = [];
    const request = { model: createOpenAI(options(server)).chat(model), messages: messages, maxRetries: 0 };
    await streamText({ ...request, onError: ({ error }) => void errors.push(error) }).consumeStream();
    expect(errors).toHaveLength(1);
    expect(JSON.stringify(errors)).toContain("An internal error occurred.");
  });
});

describe("the AI SDK", () => {
  it.each([
    ["xai", (server: ScriptedServer) => createXai(options(server)).responses(model)],
    ["openai", (server: ScriptedServer) => createOpenAI(options(server))(model)],
  ] as const)("never treats a response that failed part-way as complete, with %s", async (_name, modelOf) => {
    const server = await startServer({ engine: () => ["Good", new Error("lost")] });
    const request = { model: modelOf(server), messages: messages, maxRetries: 0, onError: () => undefined };
    const streamed = streamText(request);
    await streamed.consumeStream();
    expect([await streamed.text, await streamed.finishReason]).toEqual(["Good", "error"]);
  });
});

describe("the AI SDK's anthropic model", () => {
  const thinking = { anthropic: { thinking: { type: "enabled", budgetTokens: 1024 } } };

  it("reads thinking with its signature, text without citations, and a tool call without arguments", async () => {
    const server = await startServer({ engine: () => busy });
    const more = { providerOptions: thinking, maxOutputTokens: 2000 };
    for (const answer of await bothWays(createAnthropic(options(server))(model), more))
      expect(answer).toMatchObject({
        reasoningText: "hahaha!!.",
        text: "Both.",
        toolCalls: called,
        finishReason: "tool-calls",
        usage: { outputTokens: 12 },
      });
  });

  it("reads the message of an error response in Anthropic's format", async () => {
    const request = {
      model: createAnthropic(options(await startServer({ engine: () => busy })))("claude"),
      messages: messages,
    };
    expect(await rejection(generateText({ ...request, maxRetries: 0 }))).toMatchObject({
      statusCode: 404,
      message: expect.stringContaining("'claude'") as string,
    });
  });
});

describe("the openai client", () => {
  it("accumulates a stream of several choices, each with its role and finish reason", async () => {
    const server = await startServer({ engine: () => busy });
    const stream = openai(server).chat.completions.stream({ model, messages: messages, n: 2 });
    const { choices } = await stream.finalChatCompletion();
    expect(choices.map(({ index, finish_reason: finish }) => [index, finish])).toEqual([
      [0, "tool_calls"],
      [1, "tool_calls"],
    ]);
    for (const { message } of choices) {
      expect([message.role, message.content]).toEqual(["assistant", "Both."]);
      const read = (message.tool_calls ?? []).map(({ function: asked }) => [asked.name, asked.arguments]);
      expect(read).toEqual([
        ["get_weather", '{"city":"Bern"}'],
        ["get_time", "{}"],
      ]);
    }
  });

  it("reads code, type, field and message of an error", async () => {
    const server = await startServer({ engine: () => busy });
    const request = { model, messages: messages, temperature: 9 };
    expect(await rejection(openai(server).chat.completions.create(request))).toMatchObject({
      status: 400,
      code: "invalid_value",
      type: "invalid_request_error",
      param: "temperature",
      message: expect.stringMatching(/^400 temperature: [^"{]+$/) as string,
    });
  });
});

describe("the Anthropic client", () => {
  const request = { model, messages: messages, max_tokens: 64 };

  it("gets only events with a name, and one start and one end", async () => {
    const server = await startServer({ engine: () => busy });
    const events = await collect(await anthropic(server).messages.create({ ...request, stream: true }));
    const types = events.map(({ type }) => type);
    expect([types[0], types.at(-1)]).toEqual(["message_start", "message_stop"]);
    expect(types.filter((type) => type === "message_start" || type === "message_stop")).toHaveLength(2);
    const stream = anthropic(server).messages.stream(request);
    expect((await stream.finalMessage()).content).toMatchObject([
      { type: "text", text: "Both." },
      { type: "tool_use", input: { city: "Bern" } },
      { type: "tool_use", input: {} },
    ]);
  });

  it("reports a stream that the server aborted as an error, never as a normal end", async () => {
    const server = await startServer({ engine: () => [text("Good"), new Error("lost")] });
    const error = await rejection(anthropic(server).messages.stream(request).finalMessage());
    expect(error).toBeInstanceOf(Anthropic.APIError);
  });
});

describe("LangChain's ChatAnthropic", () => {
  it("counts the output of a stream once, although it adds the numbers of its start and its end", async () => {
    const { url } = await startServer({ engine: () => busy });
    const chat = new ChatAnthropic({ model, apiKey: keys.ada, anthropicApiUrl: url, maxRetries: 0 });
    const chunks = await collect(await chat.stream("Hello"));
    const all = chunks.reduce((sum, chunk) => sum.concat(chunk));
    const whole = await chat.invoke("Hello");
    expect(all.usage_metadata).toMatchObject({ output_tokens: 12 });
    expect(all.usage_metadata).toMatchObject({ ...(whole.usage_metadata as object | undefined) });
  });
});
