import { createOpenAI } from "@ai-sdk/openai";
import { ChatOpenAI } from "@langchain/openai";
import { generateObject, generateText, jsonSchema, stepCountIs, streamObject, streamText, tool } from "ai";
import { zodFunction, zodResponseFormat } from "openai/helpers/zod";
import { LengthFinishReasonError } from "openai/core/error";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { builtInModel, startApp, testKey, type TestApp } from "../harness.js";

const person = z.object({
  name: z.string().max(8),
  mood: z.enum(["glad", "sad"]),
  age: z.number().int().min(0).max(99),
  tags: z.array(z.enum(["a", "b"])).max(2),
});
const place = z.object({ city: z.string().min(1).max(20) });
const question = "What is the weather in Paris?";
const common = { model: builtInModel, temperature: 0, max_tokens: 400, reasoning_effort: "none" } as const;
const asked = { ...common, messages: [{ role: "user" as const, content: question }] };

describe("the official openai client", () => {
  it("parses an answer by a zod schema, from JSON and from a stream", async () => {
    const { client } = await startApp();
    const body = { ...asked, response_format: zodResponseFormat(person, "person") };
    const { choices } = await client.chat.completions.parse(body);
    const parsed = choices[0]?.message.parsed;
    expect(person.safeParse(parsed).success).toBe(true);
    const final = await client.chat.completions.stream(body).finalChatCompletion();
    expect(final.choices[0]?.message.parsed).toEqual(parsed);
  });

  it("parses the arguments of a call by a zod schema, from JSON and from a stream", async () => {
    const { client } = await startApp();
    const tools = [
      zodFunction({ name: "get_weather", description: "Get the weather in a city", parameters: place }),
    ];
    const body = { ...asked, tools, tool_choice: "required" as const };
    const { choices } = await client.chat.completions.parse(body);
    const [call] = choices[0]?.message.tool_calls ?? [];
    expect(choices[0]?.finish_reason).toBe("tool_calls");
    expect(place.safeParse(call?.function.parsed_arguments).success).toBe(true);
    const final = await client.chat.completions.stream(body).finalChatCompletion();
    expect(final.choices[0]?.message.tool_calls?.[0]?.function.parsed_arguments).toEqual(
      call?.function.parsed_arguments,
    );
  });

  it("is told of an answer that was cut by its own error, and gets no half object", async () => {
    const { client } = await startApp();
    const body = { ...asked, max_tokens: 5, response_format: zodResponseFormat(person, "person") };
    await expect(client.chat.completions.parse(body)).rejects.toBeInstanceOf(LengthFinishReasonError);
  });

  it("runs tools to a final answer", async () => {
    const { client } = await startApp();
    const seen: unknown[] = [];
    const runner = client.chat.completions.runTools({
      ...asked,
      tools: [
        {
          type: "function",
          function: {
            name: "get_weather",
            description: "Get the weather in a city",
            parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
            parse: (text: string) => place.parse(JSON.parse(text)),
            function: (given: z.infer<typeof place>) => {
              seen.push(given);
              return "It is sunny and 20 degrees.";
            },
          },
        },
      ],
    });
    expect(await runner.finalContent()).not.toBe("");
    expect(seen).toEqual([{ city: "Paris" }]);
  });
});

describe("the AI SDK", () => {
  const modelOf = (app: TestApp) =>
    createOpenAI({ baseURL: `${app.url}/v1`, apiKey: testKey }).chat(builtInModel);
  const settings = { temperature: 0, maxOutputTokens: 400, maxRetries: 0, prompt: question };
  const weather = tool({
    description: "Get the weather in a city",
    inputSchema: place,
    execute: ({ city }) => ({ city, weather: "sunny" }),
  });

  it("generates an object, whole and streamed", async () => {
    const model = modelOf(await startApp());
    const { object, finishReason } = await generateObject({ ...settings, model, schema: person });
    expect(person.safeParse(object).success).toBe(true);
    expect(finishReason).toBe("stop");
    const streamed = streamObject({ ...settings, model, schema: person });
    let last: unknown;
    for await (const part of streamed.partialObjectStream) last = part;
    expect(last).toEqual(object);
    expect(await streamed.object).toEqual(object);
  });

  it("generates an array, a choice and an object of a plain JSON Schema", async () => {
    const model = modelOf(await startApp());
    const list = await generateObject({ ...settings, model, output: "array", schema: place });
    expect(z.array(place).safeParse(list.object).success).toBe(true);
    const choice = await generateObject({ ...settings, model, output: "enum", enum: ["sun", "rain"] });
    expect(["sun", "rain"]).toContain(choice.object);
    const schema = jsonSchema<{ n: number }>({
      type: "object",
      properties: { n: { type: "integer", minimum: 3, maximum: 5 } },
      required: ["n"],
    });
    expect([3, 4, 5]).toContain((await generateObject({ ...settings, model, schema })).object.n);
  });

  it("calls a tool and goes on with its result, whole and streamed", async () => {
    const model = modelOf(await startApp());
    const run = { ...settings, model, tools: { get_weather: weather }, stopWhen: stepCountIs(2) };
    const { steps } = await generateText(run);
    expect(steps[0]?.finishReason).toBe("tool-calls");
    expect(steps[0]?.toolCalls).toMatchObject([{ toolName: "get_weather", input: { city: "Paris" } }]);
    expect(steps[1]?.text).not.toBe("");
    const streamed = await streamText(run).steps;
    expect(streamed.map(({ text, finishReason }) => ({ text, finishReason }))).toEqual(
      steps.map(({ text, finishReason }) => ({ text, finishReason })),
    );
  });

  it("calls a tool it has to call", async () => {
    const model = modelOf(await startApp());
    const { toolCalls } = await generateText({
      ...settings,
      prompt: "Hello!",
      model,
      tools: { get_weather: weather },
      toolChoice: { type: "tool", toolName: "get_weather" },
    });
    expect(toolCalls.map(({ toolName }) => toolName)).toEqual(["get_weather"]);
    expect(place.safeParse(toolCalls[0]?.input).success).toBe(true);
  });
});

describe("LangChain", () => {
  const modelOf = (app: TestApp) =>
    new ChatOpenAI({
      model: builtInModel,
      apiKey: testKey,
      temperature: 0,
      maxTokens: 400,
      maxRetries: 0,
      configuration: { baseURL: `${app.url}/v1` },
    });

  it.each(["jsonSchema", "functionCalling"] as const)(
    "has structured output by the method %s",
    async (method) => {
      const model = modelOf(await startApp());
      const structured = model.withStructuredOutput(person, { method, name: "person" });
      expect(person.safeParse(await structured.invoke(question)).success).toBe(true);
    },
  );

  it("has it streamed", async () => {
    const model = modelOf(await startApp());
    let last: unknown;
    for await (const part of await model
      .withStructuredOutput(person, { method: "jsonSchema" })
      .stream(question))
      last = part;
    expect(person.safeParse(last).success).toBe(true);
  });

  it("binds tools and reads their calls, whole and streamed", async () => {
    const model = modelOf(await startApp()).bindTools([
      { name: "get_weather", description: "Get the weather in a city", schema: place },
    ]);
    const { tool_calls: calls } = await model.invoke(question);
    expect(calls).toMatchObject([{ name: "get_weather", args: { city: "Paris" } }]);
    const streamed = [];
    for await (const chunk of await model.stream(question)) streamed.push(...(chunk.tool_calls ?? []));
    expect(streamed).toMatchObject([{ name: "get_weather", args: { city: "Paris" } }]);
  });
});
