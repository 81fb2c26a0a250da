import { ChatAnthropic } from "@langchain/anthropic";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import {
  type AIMessage,
  type AIMessageChunk,
  HumanMessage,
  ToolMessage,
  type UsageMetadata,
} from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { ChatXAI, ChatXAIResponses } from "@langchain/xai";
import { describe, expect, it } from "vitest";
import { deterministicFileServer } from "../../kit/server.js";
import { builtInModel, testKey } from "../../kit/server/settings.js";
import { collect, greeting, person, place, question, rejection, report, weather } from "./client-requests.js";

const shared = deterministicFileServer();

interface Asked {
  readonly url: string;
  readonly model?: string;
  readonly apiKey?: string;
  readonly maxTokens?: number;
}

const openai = ({ url, model = builtInModel, apiKey = testKey, maxTokens = 400 }: Asked) =>
  new ChatOpenAI({
    model,
    apiKey,
    maxTokens,
    temperature: 0,
    maxRetries: 0,
    configuration: { baseURL: `${url}/v1` },
  });
const responses = ({ url, model = builtInModel, apiKey = testKey, maxTokens = 400 }: Asked) =>
  new ChatOpenAI({
    model,
    apiKey,
    maxTokens,
    temperature: 0,
    maxRetries: 0,
    useResponsesApi: true,
    configuration: { baseURL: `${url}/v1` },
  });
const xai = ({ url, model = builtInModel, apiKey = testKey, maxTokens = 400 }: Asked) =>
  new ChatXAI({ model, apiKey, maxTokens, temperature: 0, maxRetries: 0, baseURL: `${url}/v1` });
const anthropic = ({ url, model = builtInModel, apiKey = testKey, maxTokens = 400 }: Asked) =>
  new ChatAnthropic({ model, apiKey, maxTokens, temperature: 0, maxRetries: 0, anthropicApiUrl: url });

type Family = readonly [
  name: string,
  model: (asked: Asked) => ChatOpenAI | ChatXAI | ChatAnthropic,
  ends: { readonly stop: string; readonly length: string; readonly calls: string },
];
const openaiEnds = { stop: "stop", length: "length", calls: "tool_calls" };
const families: readonly Family[] = [
  ["ChatOpenAI", openai, openaiEnds],
  [
    "ChatOpenAI, by way of responses,",
    responses,
    { stop: "completed", length: "incomplete", calls: "completed" },
  ],
  ["ChatXAI", xai, openaiEnds],
  ["ChatAnthropic", anthropic, { stop: "end_turn", length: "max_tokens", calls: "tool_use" }],
];

async function streamed(model: Pick<BaseChatModel, "stream">, input: string): Promise<AIMessageChunk> {
  const chunks = await collect(await model.stream(input));
  return chunks.reduce((all, chunk) => all.concat(chunk));
}

/** Returns the errors of the same request, not streamed and streamed. */
async function bothRejections(model: Pick<BaseChatModel, "invoke" | "stream">, input: string) {
  return Promise.all([rejection(model.invoke(input)), rejection(model.stream(input).then(collect))]);
}

function endOf({ response_metadata: facts, additional_kwargs: more }: AIMessage): unknown {
  return facts["finish_reason"] ?? facts["stop_reason"] ?? more["stop_reason"] ?? facts["status"];
}

/** Returns the usage; the client's type of it is lost in its generics. */
function usageOf(message: AIMessage): UsageMetadata {
  const usage = message.usage_metadata;
  if (usage === undefined) throw new Error("an answer without usage");
  return usage;
}

/** Returns the sum of the parts: reasoning tokens are not part of the output if the service counts as xAI does. */
function totalOf({ input_tokens: input, output_tokens: output }: UsageMetadata): number {
  return input + output;
}

describe.each(families)("LangChain's %s", (_name, modelOf, ends) => {
  it("invokes and streams the same text, reports the finish reason, and counts every part once", async () => {
    const model = modelOf(shared());
    const whole = await model.invoke(greeting);
    const all = await streamed(model, greeting);
    expect(whole.text.trim()).not.toBe("");
    expect(all.text).toBe(whole.text);
    expect([endOf(whole), endOf(all)]).toEqual([ends.stop, ends.stop]);
    const [usage, summed] = [usageOf(whole), usageOf(all)];
    expect(usage.input_tokens).toBeGreaterThan(0);
    expect(usage.output_tokens).toBeGreaterThan(0);
    expect(totalOf(usage)).toBe(usage.total_tokens);
    expect(totalOf(summed)).toBe(summed.total_tokens);
    expect([summed.input_tokens, summed.output_tokens]).toEqual([usage.input_tokens, usage.output_tokens]);
  });

  it("reports a truncated answer", async () => {
    const { url } = shared();
    const cut = await modelOf({ url, maxTokens: 2 }).invoke(greeting);
    expect(endOf(cut)).toBe(ends.length);
  });

  it("binds tools, reads their calls, as JSON and streamed, and continues with a result", async () => {
    const model = modelOf(shared()).bindTools([{ ...weather, schema: place }]);
    const whole = await model.invoke(question);
    const call = { name: "get_weather", args: { city: "Paris" } };
    expect(whole.tool_calls).toMatchObject([call]);
    expect(endOf(whole)).toBe(ends.calls);
    const chunks = await collect(await model.stream(question));
    expect(chunks.reduce((all, chunk) => all.concat(chunk)).tool_calls).toMatchObject([call]);
    const id = whole.tool_calls?.[0]?.id ?? "";
    const result = new ToolMessage({ content: "It is sunny.", tool_call_id: id });
    const after = await model.invoke([new HumanMessage(question), whole, result]);
    expect(after.text.trim()).not.toBe("");
  });

  it("gets structured output by function calls", async () => {
    const { url } = shared();
    const structured = modelOf({ url }).withStructuredOutput(person, {
      method: "functionCalling",
      name: "person",
    });
    expect(person.safeParse(await structured.invoke(question)).success).toBe(true);
  });

  it("gets structured output by a schema, as JSON and streamed", async () => {
    const structured = modelOf(shared()).withStructuredOutput(report, { method: "jsonSchema" });
    const whole = await structured.invoke(question);
    expect(report.safeParse(whole).success).toBe(true);
    expect((await collect(await structured.stream(question))).at(-1)).toEqual(whole);
  });

  it("reports an error by its status", async () => {
    const { url } = shared();
    const cases: readonly [Partial<Asked>, number, string][] = [
      [{ model: "gpt-x" }, 404, "MODEL_NOT_FOUND"],
      [{ apiKey: "hk-not-a-key-at-all" }, 401, "MODEL_AUTHENTICATION"],
    ];
    for (const [asked, status, code] of cases) {
      const model = modelOf({ url, ...asked });
      expect(await bothRejections(model, greeting)).toMatchObject([
        { status, lc_error_code: code },
        { status, lc_error_code: code },
      ]);
    }
  });

  it("raises its own error for a prompt that is too long", async () => {
    const model = modelOf(shared());
    const named = { name: "ContextOverflowError" };
    expect(await bothRejections(model, "word ".repeat(9000))).toMatchObject([named, named]);
  });
});

describe("LangChain's ChatXAIResponses", () => {
  const modelOf = ({ url, model = builtInModel, apiKey = testKey }: Asked) =>
    new ChatXAIResponses({
      model,
      apiKey,
      temperature: 0,
      maxOutputTokens: 400,
      maxRetries: 0,
      baseURL: `${url}/v1`,
    });

  it("invokes and streams the same text, and counts every part once", async () => {
    const model = modelOf(shared());
    const whole = await model.invoke(greeting);
    const all = await streamed(model, greeting);
    expect(whole.text.trim()).not.toBe("");
    expect(all.text).toBe(whole.text);
    const [usage, summed] = [usageOf(whole), usageOf(all)];
    expect(usage.output_tokens).toBeGreaterThan(0);
    expect(usage.total_tokens).toBe(totalOf(usage));
    expect([summed.input_tokens, summed.output_tokens]).toEqual([usage.input_tokens, usage.output_tokens]);
  });

  it("reports the message of an error", async () => {
    const { url } = shared();
    for (const [asked, words] of [
      [{ model: "gpt-x" }, /404.*gpt-x/s],
      [{ apiKey: "hk-not-a-key-at-all" }, /401.*key/s],
    ] as const)
      for (const error of await bothRejections(modelOf({ url, ...asked }), greeting))
        expect(String(error)).toMatch(words);
  });
});
