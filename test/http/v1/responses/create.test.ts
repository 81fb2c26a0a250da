import { describe, expect, it, vi } from "vitest";
import type { ResponseObject } from "../../../../src/dialects/openai-responses/wire.js";
import type { ScriptStep } from "../../../../src/engine/scripted.js";
import { readStream } from "../../../dialects/openai-responses/reader.js";
import { until } from "../../../harness.js";
import { compose, gate } from "../../compose.js";
import { askerOf, calls, lasting, lastResponse, textOf, thinks } from "./responses.js";

const weather = {
  type: "function",
  name: "weather",
  description: "Tells the weather.",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
} as const;
const question = [{ role: "user", content: "How warm is it in Rome?" }];

/** A server that calls for the weather, and says how warm it is once it was told. */
function weatherServer() {
  return compose((prompt) => [
    thinks("Rome, then."),
    ...(prompt.includes("tool:") ? ["It is 22 degrees."] : calls("call_1", "weather", '{"city":"Rome"}')),
  ]);
}

describe("POST /v1/responses", () => {
  it("answers a text and the same text as an item alike, instructions first", async () => {
    const server = await compose(() => ["Good", " day."]);
    const ask = askerOf(server.url);
    const said = { instructions: "Be polite.", input: "Hello" };
    const short = await ask.create(said);
    const item = { type: "message", role: "user", content: [{ type: "input_text", text: "Hello" }] };
    const long = await ask.create({ ...said, input: [item] });
    expect(textOf(short)).toBe("Good day.");
    expect(lasting(long)).toEqual(lasting(short));
    const prompts = server.engine.jobs.map(({ prompt }) => [...prompt.tokens]);
    expect(prompts[1]).toEqual(prompts[0]);
    expect(short).toMatchObject({ status: "completed", instructions: "Be polite.", store: true });
  });

  it("reads a conversation of items in their order", async () => {
    const server = await compose((prompt) => [prompt.replaceAll("\n", " / ")], { contextTokens: 64 });
    const answer = await askerOf(server.url).create({
      input: [
        { role: "developer", content: "Be brief." },
        { role: "user", content: "One" },
        { role: "assistant", content: [{ type: "output_text", text: "Two", annotations: [] }] },
        { role: "user", content: [{ type: "input_text", text: "Three" }] },
      ],
    });
    expect(textOf(answer)).toBe("system: Be brief. / user: One / assistant: Two / user: Three / assistant:");
  });

  it("says the same whole and streamed, also of reasoning and calls, and what is stored says it too", async () => {
    const ask = askerOf((await weatherServer()).url);
    const body = { input: question, tools: [weather], include: ["reasoning.encrypted_content"] };
    const whole = await ask.create(body);
    const events = await (await ask.stream(body)).events();
    const { last, items } = readStream(events);
    expect(events.at(-1)?.type).toBe("response.completed");
    expect(items).toEqual(last.output);
    expect(lasting(last)).toEqual(lasting(whole));
    for (const { id, ...rest } of [whole, last]) expect(await ask.find(id)).toEqual({ id, ...rest });
    expect(whole.output).toMatchObject([
      {
        type: "reasoning",
        summary: [{ text: "Rome, then." }],
        encrypted_content: expect.any(String) as string,
      },
      { type: "function_call", call_id: "call_1", name: "weather", arguments: '{"city":"Rome"}' },
    ]);
  });

  it("tells the fields of the request again, and counts reasoning as output", async () => {
    const server = await compose(() => [thinks("Let me think."), "Good day."], { cachedTokens: 1 });
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
    const answer = await askerOf(server.url).create({ input: "Hello", ...echoed, tools: [weather] });
    expect(answer).toMatchObject(echoed);
    expect(answer.tools).toEqual([{ ...weather, strict: true }]);
    const prompt = server.records[0]?.usage.promptTokens;
    expect(answer.usage).toMatchObject({
      input_tokens: prompt,
      input_tokens_details: { cached_tokens: 1 },
      output_tokens: 5,
      output_tokens_details: { reasoning_tokens: 3 },
      total_tokens: (prompt ?? 0) + 5,
      cost_in_usd_ticks: server.records[0]?.costTicks,
    });
  });

  it("goes on from a call by the items that are fed back, as it does by the response's id", async () => {
    const server = await weatherServer();
    const ask = askerOf(server.url);
    const prompts = vi.spyOn(server.engine, "prompt");
    const first = await ask.create({ input: question, tools: [weather] });
    const result = { type: "function_call_output", call_id: "call_1", output: "22 degrees" };
    const chained = { input: [result], previous_response_id: first.id, tools: [weather] };
    const byId = await ask.create(chained);
    const fedBack = await ask.create({ input: [...question, ...first.output, result], tools: [weather] });
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

  it("takes encrypted reasoning back from a client that stores nothing here", async () => {
    const server = await weatherServer();
    const ask = askerOf(server.url);
    const stateless = { tools: [weather], store: false, include: ["reasoning.encrypted_content"] };
    const first = await ask.create({ ...stateless, input: question });
    const [reasoning, ...others] = first.output;
    const sealed = reasoning?.type === "reasoning" ? reasoning.encrypted_content : null;
    const prompts = vi.spyOn(server.engine, "prompt");
    const result = { type: "function_call_output", call_id: "call_1", output: "22 degrees" };
    const thought = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: sealed };
    await ask.create({ ...stateless, input: [...question, thought, ...others, result] });
    expect(prompts.mock.calls[0]?.[1]).toMatchObject({
      messages: [{}, { role: "assistant", reasoning: "Rome, then." }, {}],
    });
  });

  it("holds an answer to its JSON schema, drawing it again where rules alone cannot", async () => {
    const answers = ["[7, 7]", "[7, 8]"];
    const server = await compose(() => [answers.shift() ?? ""]);
    const schema = { type: "array", items: { type: "integer" }, uniqueItems: true };
    const format = { type: "json_schema", name: "numbers", schema };
    const ask = askerOf(server.url);
    const answer = await ask.create({ input: "Two numbers", text: { format } });
    expect(textOf(answer)).toBe("[7, 8]");
    expect(answer.text.format).toMatchObject(format);
    const refused = await ask.send("POST", "", {
      model: "ember-1m",
      input: "Two numbers",
      text: { format: { ...format, schema: { type: "nothing" } } },
    });
    expect([refused.status, refused.body]).toMatchObject([400, { error: { param: "text.format.schema" } }]);
  });

  it("stores nothing with store: false: it cannot be read, nor gone on from", async () => {
    const ask = askerOf((await compose(() => ["Good day."])).url);
    const { id, store } = await ask.create({ input: "Hello", store: false });
    expect(store).toBe(false);
    expect((await ask.send("GET", `/${id}`)).status).toBe(404);
    const next = await ask.send("POST", "", { model: "ember-1m", input: "And?", previous_response_id: id });
    expect([next.status, next.body]).toMatchObject([
      400,
      { error: { code: "previous_response_not_found", param: "previous_response_id" } },
    ]);
  });

  it("answers what fails before its start with an HTTP error, and stores nothing of it", async () => {
    const server = await compose(() => ["Good day."], {
      contextTokens: 4,
      jobs: { responsesMax: 1 },
    });
    const ask = askerOf(server.url);
    for (const stream of [false, true]) {
      const body = { model: "ember-1m", input: "far too long for the model", stream };
      const failed = await ask.send("POST", "", body);
      expect([failed.status, failed.body]).toMatchObject([
        400,
        { error: { code: "context_length_exceeded" } },
      ]);
    }
    // There is room for one.
    await expect(ask.create({ input: "Hi" })).resolves.toMatchObject({ status: "incomplete" });
  });

  it("keeps nothing of an answer that fails half-way when its client waits for the whole", async () => {
    const wrong: ScriptStep[][] = [["Good", new Error("the device is gone")]];
    const server = await compose(() => wrong.pop() ?? ["Good day."], { jobs: { responsesMax: 1 } });
    const ask = askerOf(server.url);
    expect(await ask.send("POST", "", { model: "ember-1m", input: "Hi" })).toMatchObject({ status: 500 });
    await expect(ask.create({ input: "Hi" })).resolves.toMatchObject({ status: "completed" });
  });

  it("tells of a failure in mid-stream as response.failed and [DONE], and stores it as that", async () => {
    const server = await compose(() => ["Good", new Error("the device is gone")]);
    const ask = askerOf(server.url);
    const events = await (await ask.stream({ input: "Hello" })).events();
    const { last } = readStream(events);
    expect(events.at(-1)?.type).toBe("response.failed");
    expect(last).toMatchObject({
      status: "failed",
      error: { code: "server_error", message: expect.not.stringContaining("device") as string },
      output: [{ status: "incomplete", content: [{ text: "Good" }] }],
    });
    expect(await ask.find(last.id)).toEqual(last);
    expect(server.records).toMatchObject([{ state: "failed" }]);
  });

  it("F5: a client that leaves in mid-stream frees its slot, and what there was is stored as cancelled", async () => {
    const wait = gate();
    const server = await compose((prompt) => (prompt.includes("Bye") ? ["Bye."] : ["Good", wait.opened]), {
      slots: 1,
    });
    const ask = askerOf(server.url);
    const frames = await ask.stream({ input: "Hello" });
    const created = await frames.until("response.created");
    const { id } = "response" in created ? created.response : { id: "" };
    await frames.until("response.output_text.delta");
    frames.leave();
    expect(textOf(await ask.create({ input: "Bye" }))).toBe("Bye.");
    expect(await ask.find(id)).toMatchObject({
      status: "cancelled",
      output: [{ status: "incomplete", content: [{ text: "Good" }] }],
      usage: { output_tokens: 1 },
    });
    expect(server.records.map(({ state }) => state)).toEqual(["aborted", "completed"]);
  });

  it("F5: a client that leaves while it waits for its turn leaves nothing behind", async () => {
    const wait = gate();
    const server = await compose(() => ["Good", wait.opened], { slots: 1, jobs: { responsesMax: 1 } });
    const ask = askerOf(server.url);
    const running = await ask.stream({ input: "Hello", store: false });
    const leaving = new AbortController();
    const queued = fetch(`${server.url}/v1/responses`, {
      method: "POST",
      headers: { authorization: "Bearer ada-has-a-key-of-her-own", "content-type": "application/json" },
      body: JSON.stringify({ model: "ember-1m", input: "Hello" }),
      signal: leaving.signal,
    });
    await until(() => server.scheduler.load.waiting === 1);
    leaving.abort();
    await expect(queued).rejects.toThrow();
    await until(() => server.scheduler.load.waiting === 0);
    wait.open();
    await running.all();
    // There is room for one.
    await expect(ask.create({ input: "Hello" })).resolves.toMatchObject({ status: "completed" });
  });

  it("ends an answer that is cut as incomplete, saying why, streamed and whole", async () => {
    const ask = askerOf((await compose(() => ["One", " two", " three"])).url);
    const cut = { input: "Count", max_output_tokens: 2 };
    const whole = await ask.create(cut);
    const events = await (await ask.stream(cut)).events();
    expect(events.at(-1)?.type).toBe("response.incomplete");
    expect(lasting(lastResponse(events))).toEqual(lasting(whole));
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
  ])("refuses %s, naming the field", async (_what, body, param) => {
    const ask = askerOf((await compose(() => ["Good day."])).url);
    const { status, body: error } = await ask.send("POST", "", { model: "ember-1m", ...body });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    expect(error).toMatchObject({ error: { param } });
  });

  it("gives every response and item an id of its own", async () => {
    const ask = askerOf((await compose(() => [thinks("Hm."), "Good day."])).url);
    const answers: ResponseObject[] = [];
    for (let at = 0; at < 3; at += 1) answers.push(await ask.create({ input: "Hello" }));
    const ids = answers.flatMap(({ id, output }) => [id, ...output.map((item) => item.id)]);
    expect(new Set(ids).size).toBe(9);
    for (const id of ids) expect(id).toMatch(/^(resp|msg|rs)_[0-9a-f]{32,36}$/);
  });
});
