import OpenAI, { NotFoundError } from "openai";
import { zodResponsesFunction, zodTextFormat } from "openai/helpers/zod";
import { describe, expect, it, vi } from "vitest";
import { deterministicFileServer } from "../../kit/server.js";
import { clientOf } from "../../kit/server/requests.js";
import { builtInModel, testKey } from "../../kit/server/settings.js";
import { collect, greeting, person, place, question, rejection, weather } from "./client-requests.js";

const shared = deterministicFileServer();

type Item = OpenAI.Responses.ResponseOutputItem;

const common = { model: builtInModel, temperature: 0, reasoning: { effort: "none" } } as const;
const greetingRequest = { ...common, input: greeting };
const questionRequest = { ...common, input: question };
const tools = [zodResponsesFunction({ ...weather, parameters: place })];

/** Returns items without their ids, which differ in every response. */
function withoutIds(items: readonly Item[]): readonly object[] {
  return items.map((item) => ({ ...item, id: "", ...("call_id" in item ? { call_id: "" } : {}) }));
}

/** Converts output items to input items of the next request; the client's types differ in optional fields. */
function asInputItems(items: readonly Item[]): OpenAI.Responses.ResponseInputItem[] {
  return items as OpenAI.Responses.ResponseInputItem[];
}

function callOf(items: readonly Item[]): OpenAI.Responses.ResponseFunctionToolCall {
  const call = items.find((item) => item.type === "function_call");
  if (call === undefined) throw new Error("no call");
  return call;
}

describe("the official openai client's responses", () => {
  it("are the same as JSON and streamed, including reasoning and usage", async () => {
    const { client } = shared();
    for (const effort of ["none", "low"] as const) {
      const body = { ...greetingRequest, reasoning: { effort } };
      const whole = await client.responses.create(body);
      expect([whole.status, whole.model]).toEqual(["completed", builtInModel]);
      expect(whole.output_text.trim()).not.toBe("");
      const stream = client.responses.stream(body);
      const deltas: string[] = [];
      const numbers: number[] = [];
      stream.on("response.output_text.delta", ({ delta, snapshot }) => {
        deltas.push(delta);
        expect(snapshot).toBe(deltas.join(""));
      });
      stream.on("event", (event) => void numbers.push(event.sequence_number));
      const final = await stream.finalResponse();
      expect([deltas.join(""), final.output_text]).toEqual([whole.output_text, whole.output_text]);
      expect(withoutIds(final.output)).toMatchObject(withoutIds(whole.output));
      expect(numbers).toEqual(numbers.map((_, at) => at));
      for (const { usage } of [whole, final]) {
        expect(usage?.total_tokens).toBe((usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0));
        expect(usage?.output_tokens).toBe(whole.usage?.output_tokens);
        expect((usage?.output_tokens_details.reasoning_tokens ?? 0) > 0).toBe(effort === "low");
      }
      const types = whole.output.map(({ type }) => type);
      expect(types).toEqual(effort === "low" ? ["reasoning", "message"] : ["message"]);
    }
  });

  it("are read from the raw stream of events, from the first to the last", async () => {
    const { client } = shared();
    const events = await collect(await client.responses.create({ ...greetingRequest, stream: true }));
    const types = events.map(({ type }) => type);
    expect(types.slice(0, 4)).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.content_part.added",
    ]);
    expect(types.slice(-4)).toEqual([
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.completed",
    ]);
  });

  it("are incomplete if the limit truncated them", async () => {
    const { client } = shared();
    const body = { ...common, input: "Tell me a long story.", max_output_tokens: 16 };
    const whole = await client.responses.create(body);
    const final = await client.responses.stream(body).finalResponse();
    for (const { status, incomplete_details: details, usage } of [whole, final]) {
      expect([status, details?.reason]).toEqual(["incomplete", "max_output_tokens"]);
      expect(usage?.output_tokens).toBe(16);
    }
    expect(final.output_text).toBe(whole.output_text);
  });

  it("are parsed with a zod schema, as JSON and streamed", async () => {
    const { client } = shared();
    const body = { ...questionRequest, text: { format: zodTextFormat(person, "person") } };
    const { output_parsed: whole } = await client.responses.parse(body);
    expect(person.safeParse(whole).success).toBe(true);
    expect((await client.responses.stream(body).finalResponse()).output_parsed).toEqual(whole);
  });

  it("call a tool with parsed arguments and continue with its result, with a previous response id or the whole history", async () => {
    const { client } = shared();
    const first = await client.responses.parse({ ...questionRequest, tools });
    const call = callOf(first.output);
    expect(call).toMatchObject({ name: "get_weather", status: "completed" });
    expect(place.parse(JSON.parse(call.arguments))).toEqual({ city: "Paris" });
    expect((call as { parsed_arguments?: unknown }).parsed_arguments).toEqual({ city: "Paris" });
    const streamed = await client.responses.stream({ ...questionRequest, tools }).finalResponse();
    expect(callOf(streamed.output).arguments).toBe(call.arguments);
    const result = { type: "function_call_output" as const, call_id: call.call_id, output: "It is sunny." };
    const chained = await client.responses.create({
      ...common,
      tools,
      previous_response_id: first.id,
      input: [result],
    });
    expect(chained.output_text.trim()).not.toBe("");
    const { id, call_id, name, arguments: given } = call;
    const continued = await client.responses.create({
      ...common,
      tools,
      input: [
        { role: "user", content: question },
        { type: "function_call", id, call_id, name, arguments: given },
        result,
      ],
    });
    expect(continued.output_text).toBe(chained.output_text);
    expect(continued.usage?.input_tokens).toBe(chained.usage?.input_tokens);
  });

  it("continue a conversation by the previous response id and return that id", async () => {
    const { client } = shared();
    const first = await client.responses.create(greetingRequest);
    const second = await client.responses.create({ ...questionRequest, previous_response_id: first.id });
    expect(second.previous_response_id).toBe(first.id);
    expect(second.usage?.input_tokens).toBeGreaterThan(first.usage?.total_tokens ?? 0);
    const unknown = client.responses.create({ ...questionRequest, previous_response_id: `${first.id}0` });
    expect(await rejection(unknown)).toMatchObject({
      status: 400,
      code: "previous_response_not_found",
      param: "previous_response_id",
    });
  });

  it("are retrieved, listed with their input items, and deleted", async () => {
    const { client } = shared();
    const { id, output, usage } = await client.responses.create(greetingRequest);
    expect(await client.responses.retrieve(id)).toMatchObject({ id, output, usage, status: "completed" });
    const items = await collect(client.responses.inputItems.list(id));
    expect(items).toMatchObject([{ role: "user", content: [{ type: "input_text", text: greeting }] }]);
    await client.responses.delete(id);
    const gone = await Promise.all(
      [client.responses.retrieve(id), client.responses.delete(id), client.responses.inputItems.list(id)].map(
        (request) => rejection(request),
      ),
    );
    for (const error of gone) expect(error).toBeInstanceOf(NotFoundError);
    const unstored = await client.responses.create({ ...greetingRequest, store: false });
    expect(await rejection(client.responses.retrieve(unstored.id))).toBeInstanceOf(NotFoundError);
  });

  it("list their input items page by page", async () => {
    const { client } = shared();
    const input = ["one", "two", "three"].map((content) => ({ role: "user" as const, content }));
    const { id } = await client.responses.create({ ...common, input });
    for (const order of ["asc", "desc"] as const) {
      const items = await collect(client.responses.inputItems.list(id, { limit: 1, order }));
      const expected = input.map(({ content }) => ({ content: [{ type: "input_text", text: content }] }));
      expect(items).toMatchObject(order === "asc" ? expected : expected.toReversed());
    }
  });

  it("run in the background, are polled, and have the same content as in the foreground", async () => {
    const { client } = shared();
    const foreground = await client.responses.create(greetingRequest);
    const { id, status } = await client.responses.create({ ...greetingRequest, background: true });
    expect(["queued", "in_progress"]).toContain(status);
    const ended = await vi.waitUntil(
      async () => {
        const now = await client.responses.retrieve(id);
        return now.status === "completed" ? now : null;
      },
      { interval: 20, timeout: 30_000 },
    );
    expect(ended.output_text).toBe(foreground.output_text);
    expect(ended.usage?.output_tokens).toBe(foreground.usage?.output_tokens);
  });

  it("in the background are streamed again after a disconnect, from the last event or from the beginning", async () => {
    const { client } = shared();
    const stream = await client.responses.create({ ...greetingRequest, background: true, stream: true });
    const seen: OpenAI.Responses.ResponseStreamEvent[] = [];
    for await (const event of stream) if (seen.push(event) === 4) break;
    const [first] = seen;
    const id =
      first?.type === "response.created" || first?.type === "response.queued" ? first.response.id : "";
    const all = await collect(await client.responses.retrieve(id, { stream: true }));
    expect(all.slice(0, 4)).toEqual(seen);
    expect(all.map(({ sequence_number: at }) => at)).toEqual(all.map((_, at) => at));
    expect(all.at(-1)?.type).toBe("response.completed");
    const rest = await client.responses.retrieve(id, { stream: true, starting_after: 3 });
    expect(await collect(rest)).toEqual(all.slice(4));
    const whole = await client.responses.retrieve(id);
    const final = await client.responses.stream({ response_id: id }).finalResponse();
    expect([whole.status, final.output_text]).toEqual(["completed", whole.output_text]);
  });

  it("can be cancelled only while they run in the background", async () => {
    const { client } = shared();
    const body = { ...common, input: "Tell me a long story.", temperature: 0, background: true };
    const { id } = await client.responses.create(body);
    expect((await client.responses.cancel(id)).status).toBe("cancelled");
    expect((await client.responses.retrieve(id)).status).toBe("cancelled");
    const { id: foreground } = await client.responses.create(greetingRequest);
    expect(await rejection(client.responses.cancel(foreground))).toMatchObject({ status: 400 });
  });

  it("continue without being stored if the client sends back the encrypted reasoning, which only this server can decode", async () => {
    const { client } = shared();
    const body = {
      ...common,
      reasoning: { effort: "low" as const },
      store: false,
      include: ["reasoning.encrypted_content" as const],
    };
    const first = await client.responses.create({ ...body, input: greeting });
    const reasoning = first.output.find((item) => item.type === "reasoning");
    expect(reasoning?.encrypted_content).toMatch(/^.+$/);
    const input = [
      { role: "user" as const, content: greeting },
      ...asInputItems(first.output),
      { role: "user" as const, content: question },
    ];
    const second = await client.responses.create({ ...body, input });
    expect(second.output_text.trim()).not.toBe("");
  });

  it("are compacted by the model and continued from the summary", async () => {
    const { client } = shared();
    const input = [
      { role: "user" as const, content: greeting },
      { role: "assistant" as const, content: "Hello! How can I help you?" },
    ];
    const compacted = await client.responses.compact({ model: builtInModel, input });
    expect(compacted).toMatchObject({ object: "response.compaction" });
    expect(compacted.usage.total_tokens).toBe(compacted.usage.input_tokens + compacted.usage.output_tokens);
    const next = await client.responses.create({
      ...common,
      input: [...asInputItems(compacted.output), { role: "user", content: question }],
    });
    expect(next.status).toBe("completed");
    const { input_tokens: alone } = await client.responses.inputTokens.count(questionRequest);
    expect(next.usage?.input_tokens).toBeGreaterThan(alone);
  });

  it("have the number of input tokens that was counted beforehand", async () => {
    const { client } = shared();
    const { usage } = await client.responses.create({ ...questionRequest, tools });
    const counted = await client.responses.inputTokens.count({ ...questionRequest, tools });
    expect(counted.input_tokens).toBe(usage?.input_tokens);
  });
});

describe("the official openai client's responses raise", () => {
  it.each([
    ["AuthenticationError", OpenAI.AuthenticationError, {}, "hk-not-a-key-at-all", {}],
    ["NotFoundError", OpenAI.NotFoundError, { model: "gpt-x" }, testKey, { code: "model_not_found" }],
    ["BadRequestError", OpenAI.BadRequestError, { temperature: 3 }, testKey, { param: "temperature" }],
    [
      "UnprocessableEntityError",
      OpenAI.UnprocessableEntityError,
      { temperature: "hot" as unknown as number },
      testKey,
      { param: "temperature" },
    ],
    [
      "BadRequestError of a prompt that does not fit",
      OpenAI.BadRequestError,
      { input: "word ".repeat(9000) },
      testKey,
      { code: "context_length_exceeded" },
    ],
  ] as const)("%s, streamed or not", async (_name, kind, fields, key, facts) => {
    const { url } = shared();
    for (const stream of [false, true]) {
      const error = await rejection(
        clientOf(url, key).responses.create({ ...greetingRequest, ...fields, stream }),
      );
      expect(error).toBeInstanceOf(kind);
      expect(error).toMatchObject(facts);
    }
  });
});
