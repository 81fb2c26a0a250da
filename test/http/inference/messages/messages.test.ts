import { readFileSync } from "node:fs";
import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import type { GenerationEvent } from "../../../../src/core/generation.js";
import { anthropicOf, params, postMessage, weather } from "../../anthropic.js";
import { startServer, fileServer } from "../../../kit/server.js";
import { hello } from "../../../kit/server/requests.js";
import { keys } from "../../../kit/server/six-keys.js";
import { gate } from "../../../kit/until.js";

const say = () => ["Good", " day."];

const shared = fileServer({ engine: say });
const sent = { ...hello, max_tokens: 64 };
const part = { choice: 0, index: 0, tokens: 1 } as const;
/** Steps with reasoning, text and a tool call. */
const whole: readonly GenerationEvent[] = [
  { type: "reasoning-delta", choice: 0, text: "Look it up.", tokens: 3 },
  { type: "text-delta", choice: 0, text: "One moment.", tokens: 2 },
  { type: "tool-call-start", ...part, id: "call_7", name: "get_weather" },
  { type: "tool-call-delta", ...part, arguments: '{"city":' },
  { type: "tool-call-delta", ...part, arguments: '"Bern"}' },
  { type: "tool-call-end", ...part },
  { type: "generation-end", choice: 0, finishReason: "tool_calls", stopSequence: null },
];

function fixture(name: string): string {
  return readFileSync(new URL(`../../../fixtures/anthropic-messages/${name}`, import.meta.url), "utf8");
}

describe("POST /v1/messages on the wire", () => {
  it("streams the recorded transcript byte for byte", async () => {
    // The bytes contain the first id of a server.
    const response = await postMessage(await startServer({ engine: say }), { ...sent, stream: true });
    expect(await response.text()).toBe(fixture("http-stream.txt"));
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    expect(response.headers.get("x-hearth-queue-ms")).toBe("0");
  });

  it("returns the recorded JSON", async () => {
    // The bytes contain the first id of a server.
    const response = await postMessage(await startServer({ engine: say }), { ...sent, model: "ember-1m" });
    expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(await response.text()).toBe(JSON.stringify(JSON.parse(fixture("http-message.json"))));
  });

  it("accepts the key in either header, with or without version and betas, and returns the request id", async () => {
    const server = shared();
    const accepted: Record<string, string>[] = [
      { "x-api-key": keys.ada },
      { "x-api-key": "", authorization: `Bearer ${keys.ada}` },
      { "anthropic-version": "2023-06-01", "anthropic-beta": "interleaved-thinking-2025-05-14" },
    ];
    for (const headers of accepted) {
      const response = await postMessage(server, sent, "?beta=true", headers);
      expect(response.status).toBe(200);
      expect(response.headers.get("request-id")).toMatch(/^0193a1c2-/);
    }
  });

  it("keeps a silent stream alive with Anthropic's ping event", async () => {
    const wait = gate();
    const server = await startServer({ engine: () => ["Good", wait.opened, " day."] });
    const response = await postMessage(server, { ...sent, stream: true });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (!text.includes("Good")) text += (await reader?.read())?.value ?? "";
    server.clock.advance(20_000);
    text = (await reader?.read())?.value ?? "";
    expect(text).toBe('event: ping\ndata: {"type":"ping"}\n\n');
    wait.open();
    await reader?.cancel();
  });

  it("records the usage under its own endpoint", async () => {
    // The test reads everything that the engine was asked for or the server did.
    const server = await startServer({ engine: say });
    const running = server.nextRun();
    await postMessage(server, sent);
    await (
      await running
    ).finished;
    expect(await server.records()).toMatchObject([
      { endpoint: "/v1/messages", state: "completed", apiKeyId: "key-of-ada" },
    ]);
  });

  it("passes the parameters of the request to the engine", async () => {
    const server = await startServer({ engine: () => whole });
    await postMessage(server, {
      ...sent,
      max_tokens: 2000,
      messages: [...hello.messages, { role: "assistant", content: "Good" }],
      temperature: 0.5,
      top_k: 7,
      stop_sequences: ["END"],
    });
    await postMessage(server, {
      ...sent,
      max_tokens: 2000,
      tools: [weather],
      thinking: { type: "enabled", budget_tokens: 1500 },
      tool_choice: { type: "any", disable_parallel_tool_use: true },
    });
    expect(server.engine.jobs).toMatchObject([
      {
        stop: ["END"],
        maxTokens: 2000,
        maxTokensExcludesReasoning: false,
        reasoningTokensMax: 0,
        sampling: { temperature: 0.5, topK: 7 },
      },
      { reasoningTokensMax: 1500, toolChoice: { mode: "required", names: null, parallel: false } },
    ]);
  });

  it("continues a last turn of the assistant", async () => {
    const prompts: string[] = [];
    const server = await startServer({
      engine: (prompt) => {
        prompts.push(prompt);
        return [" day."];
      },
    });
    const answer = await postMessage(server, {
      ...sent,
      messages: [...hello.messages, { role: "assistant", content: "Good" }],
    });
    expect(prompts).toEqual(["user: Hello\nassistant: Good"]);
    expect(await answer.json()).toMatchObject({ content: [{ type: "text", text: " day." }] });
  });
});

describe("the official Anthropic client", () => {
  it("creates a message", async () => {
    const message = await anthropicOf(shared()).messages.create({
      ...params,
      max_tokens: 1,
    });
    expect(message).toMatchObject({
      content: [{ type: "text", text: "Good" }],
      stop_reason: "max_tokens",
      usage: { output_tokens: 1 },
    });
    expect(message._request_id).toMatch(/^0193a1c2-/);
  });

  it("reads thinking, text and a tool call from a stream as from a JSON answer", async () => {
    const server = await startServer({ engine: () => whole, cachedTokens: 2 });
    const thinking = { type: "enabled" as const, budget_tokens: 1024 };
    const all = { ...params, max_tokens: 2000, tools: [weather], thinking };
    const seen: string[] = [];
    const stream = anthropicOf(server).messages.stream(all);
    stream.on("thinking", (text) => void seen.push(text));
    stream.on("text", (text) => void seen.push(text));
    stream.on("inputJson", (text) => void seen.push(text));
    const streamed = await stream.finalMessage();
    const message = await anthropicOf(server).messages.create(all);
    expect(seen).toEqual(["Look it up.", "One moment.", '{"city":"Bern"}']);
    expect(streamed.content).toMatchObject(message.content);
    expect(streamed.usage).toEqual(message.usage);
    expect(message).toMatchObject({
      content: [
        { type: "thinking", thinking: "Look it up.", signature: "aGVhcnRo" },
        { type: "text", text: "One moment." },
        { type: "tool_use", id: "toolu_7", name: "get_weather", input: { city: "Bern" } },
      ],
      stop_reason: "tool_use",
      usage: { input_tokens: 1, cache_read_input_tokens: 2, output_tokens: 9 },
    });
  });

  it("aborts in mid-stream, which frees the slot for the next request", async () => {
    const server = await startServer({ engine: () => ["Good", gate().opened], slots: 1 });
    const running = server.nextRun();
    const stream = await anthropicOf(server).messages.create({ ...params, stream: true });
    for await (const event of stream) if (event.type === "content_block_delta") break;
    await (
      await running
    ).finished;
    expect([server.engine.active, server.engine.aborted, server.scheduler.load.running]).toEqual([0, 1, 0]);
  });

  it("raises Anthropic's error for a failure in mid-stream", async () => {
    const server = await startServer({ engine: () => ["Good", new Error("lost /var/lib/device")] });
    const stream = await anthropicOf(server).messages.create({ ...params, stream: true });
    const read = async () => {
      for await (const event of stream) expect(event.type).not.toBe("message_stop");
    };
    const error: unknown = await read().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Anthropic.APIError);
    expect(error).toMatchObject({ type: "api_error" });
    expect(String(error)).toContain("An internal error occurred.");
    expect(String(error)).not.toContain("device");
  });

  it.each<[string, object, string | undefined, new (...args: never) => Error, string]>([
    ["a wrong key", {}, "wrong-key-of-nobody", Anthropic.AuthenticationError, "authentication_error"],
    ["a key without rights", {}, keys.eve, Anthropic.PermissionDeniedError, "permission_error"],
    ["an unknown model", { model: "claude" }, undefined, Anthropic.NotFoundError, "not_found_error"],
    ["a model of others", {}, keys.bob, Anthropic.PermissionDeniedError, "permission_error"],
    [
      "an unusable model",
      { model: "broken-1m" },
      undefined,
      Anthropic.InternalServerError,
      "overloaded_error",
    ],
    [
      "a value out of range",
      { temperature: 9 },
      undefined,
      Anthropic.BadRequestError,
      "invalid_request_error",
    ],
    ["a missing field", { messages: null }, undefined, Anthropic.BadRequestError, "invalid_request_error"],
    [
      "a prompt that does not fit",
      { messages: [{ role: "user", content: "word ".repeat(300) }] },
      undefined,
      Anthropic.BadRequestError,
      "invalid_request_error",
    ],
  ])("maps %s to its error class, streamed or not", async (_case, fields, key, kind, type) => {
    const server = shared();
    for (const stream of [false, true]) {
      const thrown: unknown = await anthropicOf(server, key)
        .messages.create({ ...params, ...fields, stream })
        .catch((error: unknown) => error);
      expect(thrown).toBeInstanceOf(kind);
      expect(thrown).toMatchObject({ type, requestID: expect.stringMatching(/^0193/) as string });
    }
  });
});
