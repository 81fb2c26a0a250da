import OpenAI, { NotFoundError } from "openai";
import { LengthFinishReasonError } from "openai/core/error";
import { zodFunction, zodResponseFormat } from "openai/helpers/zod";
import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { deterministicFileServer } from "../../kit/server.js";
import { clientOf } from "../../kit/server/requests.js";
import { builtInModel, testKey } from "../../kit/server/settings.js";
import { collect, greeting, person, place, question, rejection, weather } from "./client-requests.js";

const shared = deterministicFileServer();
const common = { model: builtInModel, temperature: 0, max_tokens: 400, reasoning_effort: "none" } as const;
const questionRequest = { ...common, messages: [{ role: "user" as const, content: question }] };
const greetingRequest = { ...common, messages: [{ role: "user" as const, content: greeting }] };
const include = { stream: true, stream_options: { include_usage: true } } as const;

describe("the official openai client's chat", () => {
  it("parses an answer with a zod schema, from JSON and from a stream", async () => {
    const { client } = shared();
    const body = { ...questionRequest, response_format: zodResponseFormat(person, "person") };
    const { choices } = await client.chat.completions.parse(body);
    const parsed = choices[0]?.message.parsed;
    expect(person.safeParse(parsed).success).toBe(true);
    const final = await client.chat.completions.stream(body).finalChatCompletion();
    expect(final.choices[0]?.message.parsed).toEqual(parsed);
  });

  it("parses the arguments of a tool call with a zod schema, from JSON and from a stream", async () => {
    const { client } = shared();
    const body = {
      ...questionRequest,
      tools: [zodFunction({ ...weather, parameters: place })],
      tool_choice: "required" as const,
    };
    const { choices } = await client.chat.completions.parse(body);
    const [call] = choices[0]?.message.tool_calls ?? [];
    expect(choices[0]?.finish_reason).toBe("tool_calls");
    expect(place.safeParse(call?.function.parsed_arguments).success).toBe(true);
    const final = await client.chat.completions.stream(body).finalChatCompletion();
    expect(final.choices[0]?.message.tool_calls?.[0]?.function.parsed_arguments).toEqual(
      call?.function.parsed_arguments,
    );
  });

  it("raises its own error for a truncated answer instead of returning an incomplete object", async () => {
    const { client } = shared();
    const body = { ...questionRequest, max_tokens: 5, response_format: zodResponseFormat(person, "person") };
    await expect(client.chat.completions.parse(body)).rejects.toBeInstanceOf(LengthFinishReasonError);
  });

  it("runs tools to a final answer", async () => {
    const { client } = shared();
    const seen: unknown[] = [];
    const runner = client.chat.completions.runTools({
      ...questionRequest,
      tools: [
        {
          type: "function",
          function: {
            ...weather,
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

  it("gets from its stream helper events and a final object that match the JSON answer, with and without reasoning", async () => {
    const { client } = shared();
    for (const reasoning_effort of ["none", "low"] as const) {
      const body = { ...greetingRequest, reasoning_effort };
      const whole = await client.chat.completions.create(body);
      const stream = client.chat.completions.stream({ ...body, stream_options: { include_usage: true } });
      const deltas: string[] = [];
      stream.on("content", (delta) => void deltas.push(delta));
      const final = await stream.finalChatCompletion();
      expect(final.choices[0]?.finish_reason).toBe("stop");
      expect(final.choices[0]?.message).toMatchObject({
        role: "assistant",
        content: whole.choices[0]?.message.content,
      });
      expect(deltas.join("")).toBe(whole.choices[0]?.message.content);
      expect(deltas.join("").trim()).not.toBe("");
      for (const { usage } of [whole, final]) {
        const thought = usage?.completion_tokens_details?.reasoning_tokens ?? 0;
        expect(thought > 0).toBe(reasoning_effort === "low");
        const parts = (usage?.prompt_tokens ?? 0) + (usage?.completion_tokens ?? 0) + thought;
        expect(usage?.total_tokens).toBe(parts);
      }
      expect(final.usage?.total_tokens).toBe(whole.usage?.total_tokens);
    }
  });
});

describe("the official openai client's completions", () => {
  const body = { model: builtInModel, prompt: "One, two,", temperature: 0 };

  it("are the same streamed and as JSON, and their usage adds up", async () => {
    const { client } = shared();
    const whole = await client.completions.create({ ...body, max_tokens: 6, stream: false });
    expect(whole.choices[0]?.text).not.toBe("");
    expect(whole.choices[0]?.finish_reason).toBe("length");
    const chunks = await collect(await client.completions.create({ ...body, max_tokens: 6, ...include }));
    const parts = chunks.flatMap(({ choices }) => choices);
    expect(parts.map(({ text }) => text).join("")).toBe(whole.choices[0]?.text);
    expect(parts.flatMap(({ finish_reason: finish }) => finish ?? [])).toEqual(["length"]);
    for (const usage of [whole.usage, chunks.at(-1)?.usage]) {
      expect(usage?.completion_tokens).toBe(6);
      expect(usage?.total_tokens).toBe((usage?.prompt_tokens ?? 0) + 6);
    }
  });
});

describe("the official openai client's models", () => {
  it("are listed and retrieved with all fields of the client's type", async () => {
    const { client } = shared();
    const models = await collect(client.models.list());
    expect(models.map(({ id }) => id)).toEqual([builtInModel, "hearth-embed-1m", "hearth-painter-3m"]);
    expect(models[0]).toMatchObject({ object: "model", owned_by: "hearth" });
    expect(Number.isInteger(models[0]?.created)).toBe(true);
    const found = await client.models.retrieve(builtInModel);
    expect({ ...found }).toEqual({ ...models[0] });
    const error = await rejection(client.models.retrieve("org/gone:q4"));
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).toMatchObject({ status: 404, code: "model_not_found", param: "model" });
  });
});

describe("the official openai client raises", () => {
  type Case = readonly [kind: new (...args: never) => Error, fields: object, key: string, facts: object];
  const cases: readonly Case[] = [
    [OpenAI.AuthenticationError, {}, "hk-not-a-key-at-all", { status: 401, code: "invalid_api_key" }],
    [OpenAI.NotFoundError, { model: "gpt-x" }, testKey, { status: 404, param: "model" }],
    [OpenAI.BadRequestError, { temperature: 3 }, testKey, { status: 400, param: "temperature" }],
    [OpenAI.UnprocessableEntityError, { temperature: "hot" }, testKey, { status: 422, param: "temperature" }],
  ];

  it.each(cases.map((each) => [each[0].name, each] as const))(
    "its own %s, for chats and completions, streamed or not",
    async (_name, [kind, fields, key, facts]) => {
      const { url } = shared();
      const client = clientOf(url, key);
      for (const stream of [false, true]) {
        const chat = { ...greetingRequest, ...fields, stream };
        const completion = { model: builtInModel, prompt: "One,", ...fields, stream };
        const errors = await Promise.all(
          [client.chat.completions.create(chat), client.completions.create(completion)].map(rejection),
        );
        for (const error of errors) expect(error).toBeInstanceOf(kind);
        const requestID = expect.stringMatching(/^[0-9a-f-]{36}$/) as string;
        expect(errors).toMatchObject(errors.map(() => ({ ...facts, requestID })));
      }
    },
  );
});
