import Anthropic from "@anthropic-ai/sdk";
import { betaZodTool } from "@anthropic-ai/sdk/helpers/beta/zod";
import { zodOutputFormat } from "@anthropic-ai/sdk/helpers/zod";
import OlderAnthropic from "anthropic-legacy";
import { describe, expect, it } from "vitest";
import { deterministicFileServer } from "../../kit/server.js";
import { builtInModel, testKey } from "../../kit/server/settings.js";
import { collect, greeting, place, question, rejection, report, weather } from "./client-requests.js";

const shared = deterministicFileServer();
const optionsOf = (url: string, apiKey: string = testKey) => ({ baseURL: url, apiKey, maxRetries: 0 });
/** The type of the newest client has no temperature, but the client sends it. */
const greedy = { temperature: 0 };
const userMessage = (content: string) => [{ role: "user" as const, content }];
const questionRequest = { model: builtInModel, max_tokens: 400, ...greedy, messages: userMessage(question) };

interface Block {
  readonly type: string;
  readonly text?: string;
}

function textOf(content: readonly Block[]): string {
  return content.flatMap(({ type, text }) => (type === "text" ? [text ?? ""] : [])).join("");
}

describe("the official Anthropic client", () => {
  it("lists the models and retrieves each with all fields of the client's type", async () => {
    const { url } = shared();
    const client = new Anthropic(optionsOf(url));
    const models = await collect(client.models.list());
    expect(models).toMatchObject([
      { id: builtInModel, type: "model" },
      { id: "hearth-embed-1m", type: "model" },
      { id: "hearth-painter-3m", type: "model" },
    ]);
    expect(models[0]?.display_name).not.toBe("");
    expect(new Date(models[0]?.created_at ?? "").getTime()).toBeGreaterThan(0);
    expect({ ...(await client.models.retrieve(builtInModel)) }).toEqual({ ...models[0] });
    expect(await rejection(client.models.retrieve("claude"))).toBeInstanceOf(Anthropic.NotFoundError);
  });

  it("parses an answer with a zod schema, from JSON and from a stream", async () => {
    const { url } = shared();
    const { messages } = new Anthropic(optionsOf(url));
    const body = { ...questionRequest, output_config: { format: zodOutputFormat(report) } };
    const { parsed_output: whole } = await messages.parse(body);
    expect(report.safeParse(whole).success).toBe(true);
    expect((await messages.stream(body).finalMessage()).parsed_output).toEqual(whole);
  });

  it("runs tools to a final answer, streamed and not", async () => {
    const { url } = shared();
    const seen: unknown[] = [];
    const tool = betaZodTool({
      ...weather,
      inputSchema: place,
      run: (given) => {
        seen.push(given);
        return "It is sunny and 20 degrees.";
      },
    });
    const { messages } = new Anthropic(optionsOf(url)).beta;
    const whole = await messages.toolRunner({ ...questionRequest, tools: [tool] }).runUntilDone();
    expect([whole.stop_reason, seen]).toEqual(["end_turn", [{ city: "Paris" }]]);
    expect(textOf(whole.content)).not.toBe("");
    const streaming = messages.toolRunner({ ...questionRequest, tools: [tool], stream: true });
    const finals = [];
    for await (const stream of streaming) finals.push(await stream.finalMessage());
    expect(finals.map(({ stop_reason: reason }) => reason)).toEqual(["tool_use", "end_turn"]);
    expect(textOf(finals[1]?.content ?? [])).toBe(textOf(whole.content));
    expect(seen).toEqual([{ city: "Paris" }, { city: "Paris" }]);
  });

  it("continues a prefilled answer, streamed and not", async () => {
    const { url } = shared();
    const { messages } = new Anthropic(optionsOf(url));
    const prefill = { role: "assistant" as const, content: "1 2 3 4" };
    const body = { ...questionRequest, messages: [...userMessage("Count from 1 to 10."), prefill] };
    const whole = await messages.create(body);
    expect(textOf(whole.content)).toBe(" 5 6 7 8 9 10");
    expect(await messages.stream(body).finalText()).toBe(textOf(whole.content));
  });
});

describe("the official Anthropic client of an older major", () => {
  const prompt = `\n\nHuman: ${greeting}\n\nAssistant:`;
  const completion = { model: builtInModel, prompt, max_tokens_to_sample: 60, temperature: 0 };

  it("completes a prompt, streamed and not", async () => {
    const { url } = shared();
    const { completions } = new OlderAnthropic(optionsOf(url));
    const whole = await completions.create(completion);
    expect(whole).toMatchObject({ type: "completion", model: builtInModel, stop_reason: "stop_sequence" });
    expect(whole.completion.trim()).not.toBe("");
    const pieces = await collect(await completions.create({ ...completion, stream: true }));
    expect(pieces.length).toBeGreaterThan(2);
    expect(pieces.map(({ completion: text }) => text).join("")).toBe(whole.completion);
    expect(pieces.map(({ stop_reason: reason }) => reason)).toEqual([
      ...pieces.slice(1).map(() => null),
      "stop_sequence",
    ]);
    const cut = await completions.create({ ...completion, max_tokens_to_sample: 2 });
    expect(cut.stop_reason).toBe("max_tokens");
    expect(whole.completion.startsWith(cut.completion)).toBe(true);
  });

  it("creates messages, streams them, counts tokens and calls tools as the newest client does", async () => {
    const { url } = shared();
    const [older, newer] = [new OlderAnthropic(optionsOf(url)), new Anthropic(optionsOf(url))];
    const tools = [
      { ...weather, input_schema: { type: "object" as const, required: ["city"], properties: {} } },
    ];
    const body = { ...questionRequest, messages: userMessage(greeting) };
    const whole = await older.messages.create(body);
    const streamed = await older.messages.stream(body).finalMessage();
    const newest = await newer.messages.create(body);
    expect(textOf(whole.content)).not.toBe("");
    for (const { content, stop_reason: reason, usage } of [whole, streamed, newest]) {
      expect([textOf(content), reason]).toEqual([textOf(whole.content), "end_turn"]);
      expect(usage.output_tokens).toBe(whole.usage.output_tokens);
    }
    const { input_tokens: counted } = await older.messages.countTokens({
      model: builtInModel,
      messages: userMessage(greeting),
    });
    expect(streamed.usage.input_tokens + (streamed.usage.cache_read_input_tokens ?? 0)).toBe(counted);
    const forced = { ...questionRequest, tools, tool_choice: { type: "any" as const } };
    const called = await older.messages.stream(forced).finalMessage();
    expect(called.stop_reason).toBe("tool_use");
    expect(called.content.filter(({ type }) => type === "tool_use")).toMatchObject([{ name: weather.name }]);
  });

  it.each([
    ["AuthenticationError", {}, "hk-not-a-key-at-all", OlderAnthropic.AuthenticationError, /key/],
    ["NotFoundError", { model: "claude" }, testKey, OlderAnthropic.NotFoundError, /claude/],
    ["BadRequestError", { temperature: 3 }, testKey, OlderAnthropic.BadRequestError, /temperature: /],
  ])("raises its own %s, streamed or not", async (_name, fields, key, kind, message) => {
    const { url } = shared();
    const { completions } = new OlderAnthropic(optionsOf(url, key));
    for (const stream of [false, true]) {
      const error = await rejection(completions.create({ ...completion, ...fields, stream }));
      expect(error).toBeInstanceOf(kind);
      expect((error as Error).message).toMatch(message);
    }
  });
});
