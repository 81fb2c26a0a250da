import { describe, expect, it } from "vitest";
import { parseResponsesRequest } from "../../../src/dialects/openai-responses/parse.js";
import { body, errorOf, generationOf, weather } from "./requests.js";

const { type: _type, ...named } = weather;

/** Returns what a request means, without the body that it was read from. */
function meaningOf(value: unknown) {
  const { source: _source, ...request } = parseResponsesRequest(value);
  return request;
}

describe("a responses request", () => {
  it("leaves open what the request does not state of its sampling, and otherwise uses the defaults of the hosted service", () => {
    const request = meaningOf(body());
    expect(request).toEqual({
      model: "ember-1m",
      input: [{ type: "message", role: "user", content: "Hello" }],
      previousResponseId: null,
      conversationId: null,
      store: true,
      background: false,
      stream: false,
      generates: true,
      settings: {
        instructions: null,
        max_output_tokens: null,
        max_tool_calls: null,
        metadata: {},
        parallel_tool_calls: true,
        prompt_cache_key: null,
        reasoning: { effort: null, summary: null },
        safety_identifier: null,
        temperature: null,
        text: { format: { type: "text" } },
        tool_choice: "auto",
        tools: [],
        top_logprobs: 0,
        top_p: null,
        presence_penalty: null,
        frequency_penalty: null,
        truncation: "disabled",
      },
      includesEncryptedReasoning: false,
      allowedCalls: new Map(),
      callForms: new Map(),
      serverTools: [],
      mcpServers: [],
      opening: [],
      generation: {
        model: "ember-1m",
        tools: [],
        toolChoice: { mode: "none", names: null, parallel: true },
        format: { type: "text" },
        schemaPaths: { format: "text.format.schema", tools: [] },
        reasoningEffort: "default",
        sampling: { logitBias: {} },
        topLogprobs: null,
        choices: 1,
        stop: [],
        maxTokens: null,
        maxTokensExcludesReasoning: false,
        deterministic: false,
        ephemeral: false,
        truncate: false,
        warnings: [],
      },
    });
    expect(generationOf()).toEqual({
      ...request.generation,
      messages: [{ role: "user", content: "Hello" }],
    });
  });

  it("treats null as absent in every optional field", () => {
    const fields =
      "instructions previous_response_id store stream background max_output_tokens temperature top_p stop deterministic seed frequency_penalty presence_penalty logit_bias top_k min_p logprobs top_logprobs tools tool_choice parallel_tool_calls max_tool_calls text reasoning include truncation metadata user safety_identifier prompt_cache_key search_parameters prompt conversation context_management service_tier stream_options";
    const nulls = Object.fromEntries(fields.split(" ").map((field) => [field, null]));
    expect(meaningOf(body(nulls))).toEqual(meaningOf(body()));
    const inner = {
      text: { format: null, verbosity: null },
      reasoning: { effort: null, summary: null, generate_summary: null },
      search_parameters: { mode: null },
    };
    expect(meaningOf(body(inner))).toEqual(meaningOf(body()));
  });

  it("ignores fields that do not change the answer, whatever their value", () => {
    const harmless = {
      service_tier: "flex",
      stream_options: { include_obfuscation: false },
      moderation: {},
      search_parameters: { mode: "auto", sources: [{ type: "web" }] },
      context_management: [],
      include: ["web_search_call.action.sources"],
      tools: [],
      no_such_field: [1],
    };
    expect(meaningOf(body(harmless))).toEqual(meaningOf(body()));
  });

  it("passes the fields that the response repeats through unchanged", () => {
    const format = { type: "json_schema", name: "answer", schema: { type: "object" }, strict: true };
    const allowed = {
      type: "allowed_tools",
      mode: "auto",
      tools: [{ type: "function", name: "get_weather" }],
    };
    const given = {
      instructions: "Be brief.",
      max_output_tokens: 64,
      max_tool_calls: 3,
      metadata: { a: "b" },
      parallel_tool_calls: false,
      prompt_cache_key: "p",
      safety_identifier: "s",
      temperature: 0,
      tool_choice: allowed,
      top_logprobs: 4,
      top_p: 0.5,
      presence_penalty: 1,
      frequency_penalty: -1,
      truncation: "auto",
      user: "ada",
    };
    const repeated = {
      tools: [weather, { type: "function", name: "bare", strict: false }],
      text: { format, verbosity: "high" },
      reasoning: { effort: "xhigh", generate_summary: "concise" },
    };
    expect(parseResponsesRequest(body({ ...given, ...repeated })).settings).toEqual({
      ...given,
      tools: [
        { ...weather, strict: true },
        { type: "function", name: "bare", description: null, parameters: null, strict: false },
      ],
      text: { format: { ...format, description: null }, verbosity: "high" },
      reasoning: { effort: "xhigh", summary: "concise" },
    });
  });

  it("passes on the cache key, of at most 512 characters", () => {
    expect(generationOf({ prompt_cache_key: "k" }).cacheKey).toBe("k");
    for (const [key, kind] of [
      [7, "invalid_field"],
      [["k"], "invalid_field"],
      ["k".repeat(513), "invalid_value"],
    ] as const)
      expect(errorOf(body({ prompt_cache_key: key }))).toMatchObject({ kind, param: "prompt_cache_key" });
  });

  it("maps its fields to the generation request", () => {
    const fields = {
      temperature: 0,
      top_p: 0,
      seed: 7,
      top_k: 40,
      min_p: 0.1,
      stop: ["END"],
      deterministic: true,
      logit_bias: { 5: -100 },
      max_output_tokens: 9,
      truncation: "auto",
    };
    const generation = generationOf(fields);
    expect(generation).toMatchObject({
      sampling: { temperature: 0, seed: 7, topK: 40, minP: 0.1, logitBias: { 5: -100 } },
      stop: ["END"],
      deterministic: true,
      maxTokens: 9,
      maxTokensExcludesReasoning: false,
      truncate: true,
    });
    expect(generation.sampling.topP).toBeGreaterThan(0);
    expect(generationOf({ truncation: "disabled" }).truncate).toBe(false);
  });

  it.each([
    ["nothing", {}, null],
    ["top_logprobs of 0", { top_logprobs: 0 }, null],
    ["logprobs", { logprobs: true }, 0],
    ["logprobs with alternatives", { logprobs: true, top_logprobs: 3 }, 3],
    ["include", { include: ["message.output_text.logprobs"], top_logprobs: 2 }, 2],
    ["alternatives alone", { top_logprobs: 5 }, 5],
  ])("requests log probabilities for %s", (_case, fields, expected) => {
    expect(generationOf(fields).topLogprobs).toBe(expected);
  });

  it.each([
    ["none", "none"],
    ["minimal", "low"],
    ["low", "low"],
    ["medium", "medium"],
    ["high", "high"],
    ["xhigh", "high"],
    ["max", "high"],
  ])("maps the effort %s to %s", (effort, expected) => {
    expect(generationOf({ reasoning: { effort } }).reasoningEffort).toBe(expected);
  });

  it.each([
    [{ type: "text" }, { type: "text" }],
    [{ type: "json_object" }, { type: "json-object" }],
    [
      { type: "json_schema", name: "n", schema: { type: "array" } },
      { type: "json-schema", schema: { type: "array" } },
    ],
  ])("reads the text format %j", (format, expected) => {
    expect(generationOf({ text: { format } }).format).toEqual(expected);
  });

  const allowed = (mode: string) => ({
    type: "allowed_tools",
    mode,
    tools: [{ type: "function", name: "get_weather" }],
  });

  it.each<[string, object, object]>([
    ["no choice", {}, { mode: "auto", names: null, parallel: true }],
    [
      "auto, one at a time",
      { tool_choice: "auto", parallel_tool_calls: false },
      { mode: "auto", names: null, parallel: false },
    ],
    ["required", { tool_choice: "required" }, { mode: "required", names: null, parallel: true }],
    [
      "a tool",
      { tool_choice: { type: "function", name: "get_weather" }, parallel_tool_calls: false },
      {
        mode: "required",
        names: ["get_weather"],
        parallel: false,
        forced: { parallelAfterwards: false },
      },
    ],
    [
      "some tools",
      { tool_choice: allowed("auto") },
      { mode: "auto", names: ["get_weather"], parallel: true },
    ],
    [
      "some tools, of which one must be",
      { tool_choice: allowed("required") },
      { mode: "required", names: ["get_weather"], parallel: true },
    ],
  ])("reads the tool choice: %s", (_case, fields, expected) => {
    const { tools, toolChoice, schemaPaths } = generationOf({ tools: [weather], ...fields });
    expect([tools, toolChoice]).toEqual([[named], expected]);
    expect(schemaPaths?.tools).toEqual(["tools.0.parameters"]);
  });

  it("calls no tool with the tool choice none, but repeats the tools in the response", () => {
    const { generation, settings } = parseResponsesRequest(body({ tools: [weather], tool_choice: "none" }));
    expect([generation.tools, generation.toolChoice.mode, settings.tools.length]).toEqual([[], "none", 1]);
  });

  it("reads how the response is stored and returned", () => {
    const stored = parseResponsesRequest(
      body({
        previous_response_id: "resp_1",
        background: true,
        stream: true,
        include: ["reasoning.encrypted_content"],
      }),
    );
    expect(stored).toMatchObject({
      previousResponseId: "resp_1",
      store: true,
      background: true,
      stream: true,
      includesEncryptedReasoning: true,
    });
    expect(parseResponsesRequest(body({ store: false })).store).toBe(false);
  });

  it("needs no input if it continues a previous response", () => {
    for (const input of [undefined, null, []])
      expect(parseResponsesRequest(body({ input, previous_response_id: "resp_1" })).input).toEqual([]);
  });
});
