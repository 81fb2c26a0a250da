import { describe, expect, it } from "vitest";
import { parseChatRequest } from "../../../src/dialects/openai-chat/parse.js";
import { body, hello, errorOf } from "./requests.js";

describe("a chat request", () => {
  it("leaves open what the request does not state of its sampling, and otherwise uses the defaults of the hosted service", () => {
    expect(parseChatRequest(body())).toEqual({
      request: {
        model: "ember-1m",
        messages: [hello],
        tools: [],
        toolChoice: { mode: "none", names: null, parallel: true },
        format: { type: "text" },
        schemaPaths: { format: "response_format.json_schema.schema", tools: [] },
        reasoningEffort: "default",
        sampling: { logitBias: {} },
        topLogprobs: null,
        choices: 1,
        stop: [],
        maxTokens: null,
        warnings: [],
        maxTokensExcludesReasoning: true,
        deterministic: false,
        ephemeral: false,
      },
      stream: false,
      deferred: false,
      includeUsage: false,
      callsAsFunction: false,
      stored: null,
      textTools: new Set(),
      streamsCalls: false,
    });
  });

  it("treats null as absent in every optional field", () => {
    const fields =
      "stream stream_options deferred max_completion_tokens max_tokens temperature top_p n stop seed frequency_penalty presence_penalty logprobs top_logprobs logit_bias tools tool_choice functions function_call response_format reasoning_effort search_parameters web_search_options modalities user store metadata prompt_cache_key service_tier";
    const nulls = Object.fromEntries(fields.split(" ").map((field) => [field, null]));
    expect(parseChatRequest(body(nulls))).toEqual(parseChatRequest(body()));
  });

  it("ignores fields that do not change the answer, whatever their value", () => {
    const harmless = {
      service_tier: "auto",
      prediction: { type: "content", content: "x" },
      verbosity: "low",
      bootstrap_room: 7,
      tools: [],
      tool_choice: "none",
      functions: [],
      logit_bias: {},
      logprobs: false,
      top_logprobs: 0,
      n: 1,
      deferred: false,
      response_format: { type: "text" },
      search_parameters: { mode: "auto" },
      web_search_options: { search_context_size: "low" },
      modalities: ["text"],
      no_such_field: [1],
    };
    expect(parseChatRequest(body(harmless))).toEqual(parseChatRequest(body()));
    expect(parseChatRequest(body({ ...harmless, store: true })).request).toEqual(
      parseChatRequest(body()).request,
    );
  });

  it("passes on the cache key, of at most 512 characters", () => {
    expect(parseChatRequest(body({ prompt_cache_key: "k" })).request.cacheKey).toBe("k");
    expect(parseChatRequest(body({ prompt_cache_key: "k".repeat(512) })).request.cacheKey).toHaveLength(512);
    for (const [key, kind] of [
      [7, "invalid_field"],
      [["k"], "invalid_field"],
      ["k".repeat(513), "invalid_value"],
    ] as const)
      expect(errorOf(body({ prompt_cache_key: key }))).toMatchObject({ kind, param: "prompt_cache_key" });
  });

  it("that is deferred cannot be streamed", () => {
    expect(parseChatRequest(body({ deferred: true })).deferred).toBe(true);
    expect(errorOf(body({ deferred: true, stream: true }))).toMatchObject({
      kind: "invalid_value",
      param: "deferred",
    });
  });

  it("is not affected by keys that name prototype properties", () => {
    const parsed = parseChatRequest(
      JSON.parse(
        '{"model":"m","messages":[{"role":"user","content":"x","__proto__":{"name":"n"}}],"__proto__":{"stream":true},"logit_bias":{"__proto__":1}}',
      ),
    );
    expect(parsed.stream).toBe(false);
    expect(parsed.request.messages).toEqual([{ role: "user", content: "x" }]);
    expect(Object.hasOwn(Object.prototype, "stream")).toBe(false);
  });

  it("passes on sampling settings, stop sequences and limits", () => {
    const { request, stream, includeUsage } = parseChatRequest(
      body({
        stream: true,
        stream_options: { include_usage: true, include_obfuscation: false },
        temperature: 0,
        top_p: 0.5,
        seed: 7,
        frequency_penalty: -2,
        presence_penalty: 2,
        stop: "END",
        max_tokens: 5,
        max_completion_tokens: 9,
      }),
    );
    expect(request).toMatchObject({
      sampling: { temperature: 0, topP: 0.5, seed: 7, frequencyPenalty: -2, presencePenalty: 2 },
      stop: ["END"],
      maxTokens: 9,
    });
    expect([stream, includeUsage]).toEqual([true, true]);
    expect(request.maxTokensExcludesReasoning).toBe(true);
    expect(parseChatRequest(body({ max_tokens: 5 })).request).toMatchObject({
      maxTokens: 5,
      maxTokensExcludesReasoning: false,
    });
  });

  it("replaces a top_p of 0 by the smallest allowed value", () => {
    const { topP } = parseChatRequest(body({ top_p: 0 })).request.sampling;
    expect(topP).toBeGreaterThan(0);
    expect(topP).toBeLessThan(1e-5);
  });

  it.each([
    [0, 0],
    [4294967295, 4294967295],
    [-2, 4294967294],
    [-2147483648, 2147483648],
    [4294967296, 1],
    [9007199254740991, 0xffffffff ^ 0x1fffff],
  ])("reduces the seed %d to the 32 bits %d", (seed, bits) => {
    expect(parseChatRequest(body({ seed })).request.sampling.seed).toBe(bits >>> 0);
  });

  it.each([
    ["none", "none"],
    ["minimal", "low"],
    ["low", "low"],
    ["medium", "medium"],
    ["high", "high"],
    ["xhigh", "high"],
    ["max", "high"],
  ])("maps the effort %s to %s", (wire, effort) => {
    expect(parseChatRequest(body({ reasoning_effort: wire })).request.reasoningEffort).toBe(effort);
  });

  it("reads every role and form of content, in order", () => {
    const messages = [
      { role: "developer", content: "Be brief." },
      {
        role: "user",
        content: [
          { type: "text", text: "Good " },
          { type: "text", text: "day" },
        ],
        name: "ann",
      },
      { role: "assistant", content: null, reasoning_content: "Hm.", tool_calls: [] },
      { role: "system", content: [{ type: "text", text: "Now rhyme." }] },
      { role: "assistant", content: [{ type: "refusal", refusal: "No." }] },
      { role: "assistant", refusal: "Never." },
      { role: "user", content: "half \ud83d a pair", name: null },
    ];
    expect(parseChatRequest(body({ messages })).request.messages).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "Good day", name: "ann" },
      { role: "assistant", content: "", reasoning: "Hm." },
      { role: "system", content: "Now rhyme." },
      { role: "assistant", content: "No." },
      { role: "assistant", content: "Never." },
      { role: "user", content: "half \ufffd a pair" },
    ]);
  });

  it.each<[string, unknown, string | null]>([
    ["a body that is not an object", [], null],
    ["a body that is null", null, null],
    ["no model", { messages: [hello] }, "model"],
    ["a model that is not a string", body({ model: 3 }), "model"],
    ["no messages", { model: "m" }, "messages"],
    ["messages that are an object", body({ messages: {} }), "messages"],
    ["a message that is a string", body({ messages: ["hi"] }), "messages.0"],
    ["a message without a role", body({ messages: [{ content: "x" }] }), "messages.0.role"],
    ["a user without content", body({ messages: [hello, { role: "user" }] }), "messages.1.content"],
    ["content that is a number", body({ messages: [{ role: "user", content: 5 }] }), "messages.0.content"],
    ["content that is null", body({ messages: [{ role: "user", content: null }] }), "messages.0.content"],
    [
      "a text part without text",
      body({ messages: [{ role: "user", content: [{ type: "text" }] }] }),
      "messages.0.content.0.text",
    ],
    ["a temperature that is a string", body({ temperature: "hot" }), "temperature"],
    ["max_tokens as text", body({ max_tokens: "10" }), "max_tokens"],
    ["a fractional number of tokens", body({ max_completion_tokens: 1.5 }), "max_completion_tokens"],
    ["stream as text", body({ stream: "yes" }), "stream"],
    ["a stop that is a number", body({ stop: 5 }), "stop"],
    ["a stop list with a number", body({ stop: ["a", 5] }), "stop.1"],
    ["seed as text", body({ seed: "7" }), "seed"],
    ["an effort that is a number", body({ reasoning_effort: 3 }), "reasoning_effort"],
    ["stream_options as a list", body({ stream: true, stream_options: [] }), "stream_options"],
  ])("with %s is rejected as invalid_field with the name of the field", (_case, value, param) => {
    const error = errorOf(value);
    expect([error.kind, error.param]).toEqual(["invalid_field", param]);
    if (param !== null) expect(error.message).toMatch(new RegExp(`^${param}: (must be|is required)`));
  });

  it.each<[string, Record<string, unknown>, string, RegExp]>([
    ["an empty model", { model: "" }, "model", /must not be empty/],
    ["empty messages", { messages: [] }, "messages", /^messages: must not be empty$/],
    ["too many messages", { messages: Array(10_001).fill(hello) }, "messages", /at most 10000/],
    [
      "an unknown role",
      { messages: [{ role: "critic", content: "x" }] },
      "messages.0.role",
      /not a known value/,
    ],
    [
      "an unknown part",
      { messages: [{ role: "user", content: [{ type: "smell" }] }] },
      "messages.0.content.0.type",
      /not a known/,
    ],
    ["temperature 2.1", { temperature: 2.1 }, "temperature", /between 0 and 2/],
    ["temperature -1", { temperature: -1 }, "temperature", /between 0 and 2/],
    ["top_p 1.5", { top_p: 1.5 }, "top_p", /between 0 and 1/],
    ["top_p -0.1", { top_p: -0.1 }, "top_p", /between 0 and 1/],
    ["a penalty of 3", { presence_penalty: 3 }, "presence_penalty", /between -2 and 2/],
    ["a penalty of -3", { frequency_penalty: -3 }, "frequency_penalty", /between -2 and 2/],
    ["max_tokens 0", { max_tokens: 0 }, "max_tokens", /at least 1/],
    ["max_tokens -2", { max_tokens: -2 }, "max_tokens", /at least 1/],
    [
      "max_completion_tokens 2^31",
      { max_completion_tokens: 2 ** 31 },
      "max_completion_tokens",
      /at most 2147483647/,
    ],
    ["max_completion_tokens 0", { max_completion_tokens: 0 }, "max_completion_tokens", /at least 1/],
    ["17 stops", { stop: Array.from({ length: 17 }, (_, at) => `${at}`) }, "stop", /at most 16/],
    ["an empty stop", { stop: "" }, "stop", /must not be empty/],
    ["an empty stop in a list", { stop: ["a", ""] }, "stop.1", /must not be empty/],
    ["a long stop", { stop: ["x".repeat(257)] }, "stop.0", /at most 256/],
    ["a seed wider than 64 bits", { seed: 1e30 }, "seed", /64 bits/],
    ["n 0", { n: 0 }, "n", /between 1 and 128/],
    ["n 16384", { n: 16384 }, "n", /between 1 and 128/],
    ["top_logprobs 1e6", { logprobs: true, top_logprobs: 1e6 }, "top_logprobs", /between 0 and 20/],
    ["an unknown effort", { reasoning_effort: "huge" }, "reasoning_effort", /must be one of none, minimal/],
    ["an unknown format", { response_format: { type: "yaml" } }, "response_format.type", /not a known value/],
    [
      "an unknown tool_choice",
      { tool_choice: "maybe" },
      "tool_choice",
      /must be one of none, auto, required/,
    ],
    [
      "stream_options without stream",
      { stream_options: { include_usage: true } },
      "stream_options",
      /stream: true/,
    ],
  ])(
    "with %s is rejected as invalid_value with the name of the field and the allowed values",
    (_case, fields, param, message) => {
      const error = errorOf(body(fields));
      expect([error.kind, error.param]).toEqual(["invalid_value", param]);
      expect(error.message).toMatch(message);
    },
  );
});
