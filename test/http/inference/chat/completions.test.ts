import { readFileSync } from "node:fs";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { type ScriptedServer, startServer, fileServer } from "../../../kit/server.js";
import { hello, post } from "../../../kit/server/requests.js";
import { keys } from "../../../kit/server/six-keys.js";
import { gate } from "../../../kit/until.js";

const say = () => ["Good", " day."];

const shared = fileServer({ engine: say });

function clientOf(server: ScriptedServer, apiKey: string = keys.ada): OpenAI {
  return new OpenAI({ baseURL: `${server.url}/v1`, apiKey, maxRetries: 0 });
}

function fixture(name: string): string {
  return readFileSync(new URL(`../../../fixtures/openai-chat/${name}`, import.meta.url), "utf8");
}

describe("POST /v1/chat/completions on the wire", () => {
  it("streams the recorded transcript byte for byte", async () => {
    // The bytes contain the first id of a server.
    const server = await startServer({ engine: say });
    const response = await post(server, { ...hello, stream: true, stream_options: { include_usage: true } });
    expect(await response.text()).toBe(fixture("http-stream.txt"));
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "text/event-stream",
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no",
      "x-hearth-queue-ms": "0",
    });
  });

  it("returns the recorded JSON", async () => {
    // The bytes contain the first id of a server.
    const server = await startServer({ engine: say });
    const response = await post(server, { ...hello, model: "ember-1m" });
    expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(response.headers.get("x-hearth-prefill-ms")).toBe("0");
    expect(await response.text()).toBe(JSON.stringify(JSON.parse(fixture("http-completion.json"))));
  });

  it("records the usage under the id of the request", async () => {
    // The test reads everything that the engine was asked for or the server did.
    const server = await startServer({ engine: say });
    const running = server.nextRun();
    await post(server, hello, {
      headers: { "x-api-key": keys.ada, "content-type": "application/json", "x-request-id": "req-7" },
    });
    await (
      await running
    ).finished;
    expect(await server.records()).toMatchObject([
      {
        requestId: "req-7",
        teamId: "team-1",
        apiKeyId: "key-of-ada",
        model: "ember-1m",
        endpoint: "/v1/chat/completions",
        state: "completed",
      },
    ]);
  });

  it("passes sampling parameters, stop texts and limits of the request to the engine", async () => {
    // The test reads everything that the engine was asked for or the server did.
    const server = await startServer({ engine: say });
    await post(server, { ...hello, temperature: 0.5, top_p: 0.25, seed: 9, stop: ["END"], max_tokens: 3 });
    expect(server.engine.jobs).toMatchObject([
      { stop: ["END"], maxTokens: 3, sampling: { temperature: 0.5, topP: 0.25, seed: 9 } },
    ]);
  });
});

describe("the official OpenAI client", () => {
  it("creates a completion", async () => {
    const completion = await clientOf(shared()).chat.completions.create({
      model: "ember-1m",
      messages: [{ role: "user", content: "Hello" }],
      max_tokens: 1,
    });
    expect(completion.choices[0]).toMatchObject({ message: { content: "Good" }, finish_reason: "length" });
    expect(completion._request_id).toMatch(/^0193a1c2-/);
  });

  it("reads a stream to its end, with usage", async () => {
    const stream = clientOf(shared()).chat.completions.stream({
      model: "ember-1m",
      messages: [{ role: "user", content: "Hello" }],
      stream_options: { include_usage: true },
    });
    const final = await stream.finalChatCompletion();
    expect(final.choices[0]).toMatchObject({ message: { content: "Good day." }, finish_reason: "stop" });
    expect(final.usage).toMatchObject({ completion_tokens: 2 });
  });

  it("receives every delta before the answer is complete", async () => {
    const wait = gate();
    const server = await startServer({ engine: () => ["Good", wait.opened, " day."] });
    const stream = await clientOf(server).chat.completions.create({
      model: "ember-1m",
      messages: [{ role: "user", content: "Hello" }],
      stream: true,
    });
    const seen: string[] = [];
    for await (const chunk of stream) {
      const text = chunk.choices[0]?.delta.content ?? "";
      if (text !== "") seen.push(text);
      if (text === "Good") wait.open();
    }
    expect(seen).toEqual(["Good", " day."]);
  });

  it("aborts in mid-stream, which frees the slot for the next request", async () => {
    const server = await startServer({ engine: () => ["Good", gate().opened], slots: 1 });
    const running = server.nextRun();
    const stream = await clientOf(server).chat.completions.create({
      model: "ember-1m",
      messages: [{ role: "user", content: "Hello" }],
      stream: true,
    });
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content === "Good") break;
    await (
      await running
    ).finished;
    expect([server.engine.active, server.engine.aborted, server.scheduler.load.running]).toEqual([0, 1, 0]);
    expect((await server.records())[0]).toMatchObject({ state: "aborted", usage: { completionTokens: 1 } });
  });

  const send = (server: ScriptedServer, fields: object, key?: string) =>
    clientOf(server, key).chat.completions.create({
      model: "ember-1m",
      messages: [{ role: "user", content: "x" }],
      ...fields,
    });

  it.each<[string, object, string | undefined, object]>([
    ["a wrong key", {}, "wrong-key-of-nobody", { status: 401, code: "invalid_api_key" }],
    ["a key without rights", {}, keys.eve, { status: 403, type: "permission_error" }],
    [
      "an unknown model",
      { model: "gpt-x" },
      undefined,
      { status: 404, code: "model_not_found", param: "model" },
    ],
    ["an unusable model", { model: "broken-1m" }, undefined, { status: 503, code: "model_unavailable" }],
    ["a value out of range", { temperature: 9 }, undefined, { status: 400, param: "temperature" }],
    ["a missing field", { messages: null }, undefined, { status: 422, param: "messages" }],
    [
      "a prompt that does not fit",
      { messages: [{ role: "user", content: "word ".repeat(300) }] },
      undefined,
      { status: 400, code: "context_length_exceeded" },
    ],
  ])("maps %s to its error class, streamed or not", async (_case, fields, key, expected) => {
    const server = shared();
    for (const stream of [false, true]) {
      const thrown: unknown = await send(server, { ...fields, stream }, key).catch((error: unknown) => error);
      expect(thrown).toBeInstanceOf(OpenAI.APIError);
      expect(thrown).toMatchObject({ ...expected, requestID: expect.stringMatching(/^0193/) as string });
    }
  });

  it("raises an error for a failure in mid-stream", async () => {
    const server = await startServer({ engine: () => ["Good", new Error("lost /var/lib/device")] });
    const stream = await clientOf(server).chat.completions.create({
      model: "ember-1m",
      messages: [{ role: "user", content: "Hello" }],
      stream: true,
    });
    const read = async () => {
      for await (const chunk of stream) expect(chunk.object).toBe("chat.completion.chunk");
    };
    await expect(read()).rejects.toThrow("An internal error occurred.");
  });
});
