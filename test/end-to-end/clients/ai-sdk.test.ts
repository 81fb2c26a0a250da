import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createXai } from "@ai-sdk/xai";
import {
  APICallError,
  generateObject,
  generateText,
  jsonSchema,
  Output,
  stepCountIs,
  streamObject,
  streamText,
  tool,
  type LanguageModel,
} from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { deterministicFileServer } from "../../kit/server.js";
import { builtInModel, testKey } from "../../kit/server/settings.js";
import { greeting, person, place, question, rejection, weather as described } from "./client-requests.js";

const shared = deterministicFileServer();

type Provider = readonly [
  name: string,
  model: (url: string, name?: string, apiKey?: string) => LanguageModel,
];

const optionsOf = (url: string, apiKey: string) => ({ baseURL: `${url}/v1`, apiKey });
const chats: readonly Provider[] = [
  [
    "openai, by way of chat,",
    (url, name = builtInModel, key = testKey) => createOpenAI(optionsOf(url, key)).chat(name),
  ],
  [
    "xai, by way of chat,",
    (url, name = builtInModel, key = testKey) => createXai(optionsOf(url, key)).chat(name),
  ],
  ["anthropic", (url, name = builtInModel, key = testKey) => createAnthropic(optionsOf(url, key))(name)],
  [
    "openai, by way of responses,",
    (url, name = builtInModel, key = testKey) => createOpenAI(optionsOf(url, key))(name),
  ],
  [
    "xai, by way of responses,",
    (url, name = builtInModel, key = testKey) => createXai(optionsOf(url, key)).responses(name),
  ],
];
const completion: Provider = [
  "openai, by way of completions,",
  (url, name = builtInModel, key = testKey) => createOpenAI(optionsOf(url, key)).completion(name),
];
const settings = { temperature: 0, maxOutputTokens: 400, maxRetries: 0 };
const questionRequest = { ...settings, prompt: question };
const weather = tool({
  description: described.description,
  inputSchema: place,
  execute: ({ city }) => ({ city, weather: "sunny" }),
});

describe.each([...chats, completion])("the AI SDK's %s model", (_name, modelOf) => {
  it("generates text, as JSON and streamed, and reports the usage of every part", async () => {
    const { url } = shared();
    const model = modelOf(url);
    const options = { ...settings, maxOutputTokens: 200, model, prompt: greeting };
    const whole = await generateText(options);
    expect(whole.text.trim()).not.toBe("");
    const streamed = streamText(options);
    expect(await streamed.text).toBe(whole.text);
    expect(await streamed.reasoningText).toBe(whole.reasoningText);
    expect(await streamed.finishReason).toBe(whole.finishReason);
    for (const usage of [whole.usage, await streamed.usage]) {
      expect(usage.inputTokens).toBeGreaterThan(0);
      expect(usage.outputTokens).toBeGreaterThan(0);
      expect(usage.totalTokens).toBe((usage.inputTokens ?? 0) + (usage.outputTokens ?? 0));
      expect(usage.outputTokens).toBe(whole.usage.outputTokens);
    }
    // Streamed, because for a truncated JSON answer the client's xai responses model reports "other".
    const cut = streamText({ ...options, maxOutputTokens: 2 });
    expect(await cut.finishReason).toBe("length");
    expect(whole.text.startsWith(await cut.text)).toBe(true);
  });

  it("reports the error and that it is not retryable", async () => {
    const { url } = shared();
    const cases: readonly [LanguageModel, object, number, RegExp][] = [
      [modelOf(url, "gpt-x"), {}, 404, /gpt-x/],
      [modelOf(url, builtInModel, "hk-not-a-key-at-all"), {}, 401, /key/],
      [modelOf(url), { prompt: "word ".repeat(9000) }, 400, /prompt/],
    ];
    for (const [model, fields, statusCode, message] of cases) {
      const error = await rejection(generateText({ ...questionRequest, model, ...fields }));
      expect(APICallError.isInstance(error)).toBe(true);
      expect(error).toMatchObject({ statusCode, isRetryable: false });
      expect((error as Error).message).toMatch(message);
      const errors: unknown[] = [];
      const streamed = streamText({
        ...questionRequest,
        model,
        ...fields,
        onError: ({ error }) => void errors.push(error),
      });
      await streamed.consumeStream();
      expect(errors).toMatchObject([{ statusCode }]);
    }
  });
});

describe.each(chats)("the AI SDK's %s model", (_name, modelOf) => {
  it("generates an object, as JSON and streamed", async () => {
    const { url } = shared();
    const model = modelOf(url);
    const whole = await generateObject({ ...questionRequest, model, schema: person });
    expect(person.safeParse(whole.object).success).toBe(true);
    expect(whole.finishReason).toBe("stop");
    const streamed = streamObject({ ...questionRequest, model, schema: person });
    let last: unknown;
    for await (const part of streamed.partialObjectStream) last = part;
    expect(last).toEqual(whole.object);
    expect(await streamed.object).toEqual(whole.object);
    const output = Output.object({ schema: person });
    expect((await generateText({ ...questionRequest, model, output })).output).toEqual(whole.object);
  });

  it("generates an array, an enum value and an object of a plain JSON Schema", async () => {
    const { url } = shared();
    const model = modelOf(url);
    // A small model does not end a list if the prompt does not say how long it should be.
    const prompt = "The cities are Paris and Rome.";
    const list = await generateObject({ ...settings, prompt, model, output: "array", schema: place });
    expect(z.array(place).safeParse(list.object).success).toBe(true);
    const choice = await generateObject({ ...questionRequest, model, output: "enum", enum: ["sun", "rain"] });
    expect(["sun", "rain"]).toContain(choice.object);
    const schema = jsonSchema<{ n: number }>({
      type: "object",
      properties: { n: { type: "integer", enum: [3, 4, 5] } },
      required: ["n"],
    });
    expect([3, 4, 5]).toContain((await generateObject({ ...questionRequest, model, schema })).object.n);
  });

  it("calls a tool and continues with its result, as JSON and streamed", async () => {
    const { url } = shared();
    const model = modelOf(url);
    const run = { ...questionRequest, model, tools: { get_weather: weather }, stopWhen: stepCountIs(2) };
    const { steps } = await generateText(run);
    expect(steps[0]?.finishReason).toBe("tool-calls");
    expect(steps[0]?.toolCalls).toMatchObject([{ toolName: "get_weather", input: { city: "Paris" } }]);
    expect(steps[1]?.text).not.toBe("");
    const streamed = await streamText(run).steps;
    expect(streamed.map(({ text, finishReason }) => ({ text, finishReason }))).toEqual(
      steps.map(({ text, finishReason }) => ({ text, finishReason })),
    );
    expect(streamed[0]?.toolCalls).toMatchObject([{ toolName: "get_weather", input: { city: "Paris" } }]);
  });

  it("calls a required tool", async () => {
    const { url } = shared();
    const { toolCalls } = await generateText({
      ...questionRequest,
      prompt: greeting,
      model: modelOf(url),
      tools: { get_weather: weather },
      toolChoice: { type: "tool", toolName: "get_weather" },
    });
    expect(toolCalls.map(({ toolName }) => toolName)).toEqual(["get_weather"]);
    expect(place.safeParse(toolCalls[0]?.input).success).toBe(true);
  });
});

describe("reasoning, read by the AI SDK,", () => {
  const greetingRequest = { maxOutputTokens: 1500, maxRetries: 0, prompt: greeting };

  it.each([
    ["xai, by way of chat,", (url: string) => createXai(optionsOf(url, testKey)).chat(builtInModel)],
    [
      "xai, by way of responses,",
      (url: string) => createXai(optionsOf(url, testKey)).responses(builtInModel),
    ],
  ] as const)("of %s is separate from the text and counted, as JSON and streamed", async (_name, modelOf) => {
    const { url } = shared();
    const providerOptions = { xai: { reasoningEffort: "low" as const } };
    const options = { ...greetingRequest, temperature: 0, model: modelOf(url), providerOptions };
    const whole = await generateText(options);
    expect(whole.reasoningText?.trim()).toMatch(/./);
    expect(whole.text).not.toContain("think>");
    const streamed = streamText(options);
    expect([await streamed.reasoningText, await streamed.text]).toEqual([whole.reasoningText, whole.text]);
    const { outputTokens, outputTokenDetails: parts } = whole.usage;
    expect(parts.reasoningTokens).toBeGreaterThan(0);
    expect(outputTokens).toBe((parts.textTokens ?? 0) + (parts.reasoningTokens ?? 0));
    expect((await streamed.usage).outputTokens).toBe(outputTokens);
  });

  // These clients send no temperature with reasoning, so the two answers are sampled independently.
  it.each([
    [
      "anthropic",
      (url: string) => createAnthropic(optionsOf(url, testKey))(builtInModel),
      { anthropic: { thinking: { type: "enabled", budgetTokens: 1024 } } },
    ],
    [
      "openai, by way of responses,",
      (url: string) => createOpenAI(optionsOf(url, testKey))(builtInModel),
      { openai: { reasoningEffort: "low", reasoningSummary: "auto", forceReasoning: true } },
    ],
  ] as const)(
    "of %s is separate from the text and is sent back in the next turn",
    async (_name, modelOf, providerOptions) => {
      const { url } = shared();
      const options = { ...greetingRequest, model: modelOf(url), providerOptions };
      const whole = await generateText(options);
      const streamed = streamText(options);
      for (const [thought, text] of [
        [whole.reasoningText, whole.text],
        [await streamed.reasoningText, await streamed.text],
      ]) {
        expect(thought?.trim()).toMatch(/./);
        expect(text?.trim()).toMatch(/./);
        expect(text).not.toContain("think>");
      }
      const { prompt, ...rest } = options;
      const messages = [
        { role: "user" as const, content: prompt },
        ...whole.response.messages,
        { role: "user" as const, content: question },
      ];
      const next = await generateText({ ...rest, messages });
      expect(next.text.trim()).toMatch(/./);
      expect(next.usage.inputTokens).toBeGreaterThan(whole.usage.inputTokens ?? 0);
    },
  );
});
