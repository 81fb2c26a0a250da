import { describe, expect, it, vi } from "vitest";
import type { ResponseObject } from "../../../../src/dialects/openai-responses/response-schema.js";
import { readStream } from "../../../dialects/openai-responses/reader.js";
import { startServer, fileServer } from "../../../kit/server.js";
import {
  createResponsesClient,
  toolCallSteps,
  withoutIdsAndTimes,
  lastResponse,
  textOf,
  reasoningStep,
} from "../../../kit/clients/responses.js";

const shared = fileServer({ engine: () => ["Good day."] });

const weather = {
  type: "function",
  name: "weather",
  description: "Tells the weather.",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
} as const;
const question = [{ role: "user", content: "How warm is it in Rome?" }];

/** Starts a server that calls a weather tool, and answers with the temperature after the result. */
function weatherServer() {
  return startServer({
    engine: (prompt) => [
      reasoningStep("Rome, then."),
      ...(prompt.includes("tool:")
        ? ["It is 22 degrees."]
        : toolCallSteps("call_1", "weather", '{"city":"Rome"}')),
    ],
  });
}

describe("POST /v1/responses", () => {
  it("treats a text and the same text as an item alike, after the instructions", async () => {
    const server = await startServer({ engine: () => ["Good", " day."] });
    const client = createResponsesClient(server.url);
    const said = { instructions: "Be polite.", input: "Hello" };
    const short = await client.create(said);
    const item = { type: "message", role: "user", content: [{ type: "input_text", text: "Hello" }] };
    const long = await client.create({ ...said, input: [item] });
    expect(textOf(short)).toBe("Good day.");
    expect(withoutIdsAndTimes(long)).toEqual(withoutIdsAndTimes(short));
    const prompts = server.engine.jobs.map(({ prompt }) => [...prompt.tokens]);
    expect(prompts[1]).toEqual(prompts[0]);
    expect(short).toMatchObject({ status: "completed", instructions: "Be polite.", store: true });
  });

  it("reads the items of a conversation in order", async () => {
    const server = await startServer({
      engine: (prompt) => [prompt.replaceAll("\n", " / ")],
      contextTokens: 64,
    });
    const answer = await createResponsesClient(server.url).create({
      input: [
        { role: "developer", content: "Be brief." },
        { role: "user", content: "One" },
        { role: "assistant", content: [{ type: "output_text", text: "Two", annotations: [] }] },
        { role: "user", content: [{ type: "input_text", text: "Three" }] },
      ],
    });
    expect(textOf(answer)).toBe("system: Be brief. / user: One / assistant: Two / user: Three / assistant:");
  });

  it("returns the same as JSON, as a stream and from storage, including reasoning and tool calls", async () => {
    const client = createResponsesClient((await weatherServer()).url);
    const body = { input: question, tools: [weather], include: ["reasoning.encrypted_content"] };
    const whole = await client.create(body);
    const events = await (await client.stream(body)).events();
    const { last, items } = readStream(events);
    expect(events.at(-1)?.type).toBe("response.completed");
    expect(items).toEqual(last.output);
    expect(withoutIdsAndTimes(last)).toEqual(withoutIdsAndTimes(whole));
    for (const { id, ...rest } of [whole, last]) expect(await client.find(id)).toEqual({ id, ...rest });
    expect(whole.output).toMatchObject([
      {
        type: "reasoning",
        summary: [{ text: "Rome, then." }],
        encrypted_content: expect.any(String) as string,
      },
      { type: "function_call", call_id: "call_1", name: "weather", arguments: '{"city":"Rome"}' },
    ]);
  });

  it("repeats the fields of the request, and counts reasoning as output", async () => {
    const server = await startServer({
      engine: () => [reasoningStep("Let me think."), "Good day."],
      cachedTokens: 1,
    });
    const echoed = {
      metadata: { order: "17" },
      user: "u-1",
      safety_identifier: "s-1",
      prompt_cache_key: "p-1",
      max_output_tokens: 100,
      max_tool_calls: 3,
      temperature: 0.5,
      top_p: 0.9,
      presence_penalty: 0.1,
      frequency_penalty: 0.2,
      parallel_tool_calls: false,
      truncation: "auto",
      tool_choice: "none",
      reasoning: { effort: "low", summary: "auto" },
      text: { format: { type: "text" }, verbosity: "low" },
    };
    const answer = await createResponsesClient(server.url).create({
      input: "Hello",
      ...echoed,
      tools: [weather],
    });
    expect(answer).toMatchObject(echoed);
    expect(answer.tools).toEqual([{ ...weather, strict: true }]);
    const prompt = (await server.records())[0]?.usage.promptTokens;
    expect(answer.usage).toMatchObject({
      input_tokens: prompt,
      input_tokens_details: { cached_tokens: 1 },
      output_tokens: 5,
      output_tokens_details: { reasoning_tokens: 3 },
      total_tokens: (prompt ?? 0) + 5,
      cost_in_usd_ticks: (await server.records())[0]?.costTicks,
    });
  });

  it("continues from a tool call by the repeated items in the same way as by the id of the response", async () => {
    const server = await weatherServer();
    const client = createResponsesClient(server.url);
    const prompts = vi.spyOn(server.engine, "prompt");
    const first = await client.create({ input: question, tools: [weather] });
    const result = { type: "function_call_output", call_id: "call_1", output: "22 degrees" };
    const chained = { input: [result], previous_response_id: first.id, tools: [weather] };
    const byId = await client.create(chained);
    const fedBack = await client.create({ input: [...question, ...first.output, result], tools: [weather] });
    for (const answer of [byId, fedBack]) expect(textOf(answer)).toBe("It is 22 degrees.");
    const conversations = prompts.mock.calls.slice(1).map(([, source]) => source);
    expect(conversations[1]).toEqual(conversations[0]);
    expect(conversations[0]).toMatchObject({
      messages: [
        { role: "user", content: "How warm is it in Rome?" },
        {
          role: "assistant",
          reasoning: "Rome, then.",
          toolCalls: [{ id: "call_1", name: "weather", arguments: '{"city":"Rome"}' }],
        },
        { role: "tool", toolCallId: "call_1", content: "22 degrees" },
      ],
    });
  });

  it("accepts encrypted reasoning from a client that stores nothing on the server", async () => {
    const server = await weatherServer();
    const client = createResponsesClient(server.url);
    const stateless = { tools: [weather], store: false, include: ["reasoning.encrypted_content"] };
    const first = await client.create({ ...stateless, input: question });
    const [reasoning, ...others] = first.output;
    const encrypted = reasoning?.type === "reasoning" ? reasoning.encrypted_content : null;
    const prompts = vi.spyOn(server.engine, "prompt");
    const result = { type: "function_call_output", call_id: "call_1", output: "22 degrees" };
    const thought = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: encrypted };
    await client.create({ ...stateless, input: [...question, thought, ...others, result] });
    expect(prompts.mock.calls[0]?.[1]).toMatchObject({
      messages: [{}, { role: "assistant", reasoning: "Rome, then." }, {}],
    });
  });

  it("returns an answer that matches its JSON schema, sampling again where the grammar cannot guarantee it", async () => {
    const answers = ["[7, 7]", "[7, 8]"];
    const server = await startServer({ engine: () => [answers.shift() ?? ""] });
    const schema = { type: "array", items: { type: "integer" }, uniqueItems: true };
    const format = { type: "json_schema", name: "numbers", schema };
    const client = createResponsesClient(server.url);
    const answer = await client.create({ input: "Two numbers", text: { format } });
    expect(textOf(answer)).toBe("[7, 8]");
    expect(answer.text.format).toMatchObject(format);
    const refused = await client.send("POST", "", {
      model: "ember-1m",
      input: "Two numbers",
      text: { format: { ...format, schema: { type: "nothing" } } },
    });
    expect([refused.status, refused.body]).toMatchObject([400, { error: { param: "text.format.schema" } }]);
  });

  it("stores nothing with store: false: the response can be neither read nor continued", async () => {
    const client = createResponsesClient(shared().url);
    const { id, store } = await client.create({ input: "Hello", store: false });
    expect(store).toBe(false);
    expect((await client.send("GET", `/${id}`)).status).toBe(404);
    const next = await client.send("POST", "", {
      model: "ember-1m",
      input: "And?",
      previous_response_id: id,
    });
    expect([next.status, next.body]).toMatchObject([
      400,
      { error: { code: "previous_response_not_found", param: "previous_response_id" } },
    ]);
  });

  it("ends a cut answer as incomplete with the reason, streamed and as JSON", async () => {
    const client = createResponsesClient(
      (await startServer({ engine: () => ["One", " two", " three"] })).url,
    );
    const cut = { input: "Count", max_output_tokens: 2 };
    const whole = await client.create(cut);
    const events = await (await client.stream(cut)).events();
    expect(events.at(-1)?.type).toBe("response.incomplete");
    expect(withoutIdsAndTimes(lastResponse(events))).toEqual(withoutIdsAndTimes(whole));
    expect(whole).toMatchObject({
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
      completed_at: null,
    });
  });

  it.each<[string, object, string]>([
    ["no input", {}, "input"],
    ["an empty conversation", { input: [] }, "input"],
    [
      "a background response that is not stored",
      { input: "Hi", background: true, store: false },
      "background",
    ],
    ["a stored prompt", { input: "Hi", prompt: { id: "p" } }, "prompt"],
    ["a bound below one token", { input: "Hi", max_output_tokens: 0 }, "max_output_tokens"],
    ["an item of no known type", { input: [{ type: "thing" }] }, "input.0.type"],
  ])("rejects %s with the name of the field", async (_what, body, param) => {
    const client = createResponsesClient(shared().url);
    const { status, body: error } = await client.send("POST", "", { model: "ember-1m", ...body });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    expect(error).toMatchObject({ error: { param } });
  });

  it("gives every response and item a unique id", async () => {
    const client = createResponsesClient(
      (await startServer({ engine: () => [reasoningStep("Hm."), "Good day."] })).url,
    );
    const answers: ResponseObject[] = [];
    for (let at = 0; at < 3; at += 1) answers.push(await client.create({ input: "Hello" }));
    const ids = answers.flatMap(({ id, output }) => [id, ...output.map((item) => item.id)]);
    expect(new Set(ids).size).toBe(9);
    for (const id of ids) expect(id).toMatch(/^(resp|msg|rs)_[0-9a-f]{32,36}$/);
  });
});
