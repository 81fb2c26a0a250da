import { describe, expect, it } from "vitest";
import { parseMessagesRequest } from "../../../src/dialects/anthropic-messages/parse.js";
import { body, hello, requestOf, weather } from "./requests.js";

describe("a messages request", () => {
  it("leaves open what the request does not state of its sampling, and otherwise uses the defaults of the hosted service", () => {
    expect(parseMessagesRequest(body())).toEqual({
      request: {
        model: "ember-1m",
        messages: [hello],
        tools: [],
        toolChoice: { mode: "none", names: null, parallel: true },
        format: { type: "text" },
        schemaPaths: { format: "output_config.format.schema", tools: [] },
        reasoningEffort: "none",
        sampling: { logitBias: {} },
        topLogprobs: null,
        choices: 1,
        stop: [],
        maxTokens: 4096,
        maxTokensExcludesReasoning: false,
        deterministic: false,
        warnings: [],
      },
      stream: false,
      thinking: "hidden",
      edits: null,
      mcpServers: [],
      mcpTools: new Map(),
      mcpLists: new Map(),
      documents: new Map(),
    });
  });

  it("treats null as absent in every optional field and does not require max_tokens", () => {
    const fields =
      "max_tokens system stop_sequences stream temperature top_p top_k tools tool_choice thinking output_config output_format mcp_servers metadata service_tier container cache_control";
    const nulls = Object.fromEntries(fields.split(" ").map((field) => [field, null]));
    const bare = parseMessagesRequest(body({ max_tokens: undefined }));
    expect(parseMessagesRequest(body(nulls))).toEqual(bare);
    expect(bare.request.maxTokens).toBe(null);
  });

  it("ignores fields that do not change the answer, whatever their value", () => {
    const harmless = {
      service_tier: "auto",
      cache_control: { type: "ephemeral" },
      container: "c",
      inference_geo: "eu",
      mcp_servers: [],
      tools: [],
      no_such_field: [1],
    };
    expect(parseMessagesRequest(body(harmless))).toEqual(parseMessagesRequest(body()));
  });

  it("passes on sampling settings, stop sequences and limits", () => {
    const fields = {
      temperature: 0,
      top_p: 0.5,
      top_k: 40,
      stop_sequences: ["END"],
      max_tokens: 7,
      stream: true,
    };
    const { request, stream } = parseMessagesRequest(body(fields));
    expect(request).toMatchObject({
      sampling: { temperature: 0, topP: 0.5, topK: 40 },
      stop: ["END"],
      maxTokens: 7,
    });
    expect(stream).toBe(true);
    expect(requestOf({ top_k: 0 }).sampling.topK).toBe(null);
    expect(requestOf({ top_p: 0 }).sampling.topP).toBeGreaterThan(0);
  });

  it.each<[string, object, object, string]>([
    ["nothing", {}, { reasoningEffort: "none" }, "hidden"],
    ["disabled", { thinking: { type: "disabled" } }, { reasoningEffort: "none" }, "hidden"],
    [
      "a budget",
      { thinking: { type: "enabled", budget_tokens: 2000 }, output_config: { effort: "low" } },
      { reasoningEffort: "high", reasoningTokensMax: 2000 },
      "shown",
    ],
    ["adaptive", { thinking: { type: "adaptive" } }, { reasoningEffort: "default" }, "shown"],
    [
      "adaptive with an effort",
      { thinking: { type: "adaptive", display: "omitted" }, output_config: { effort: "max" } },
      { reasoningEffort: "high" },
      "omitted",
    ],
  ])("reads the thinking settings: %s", (_case, fields, expected, display) => {
    const { request, thinking } = parseMessagesRequest(body(fields));
    const { reasoningEffort, reasoningTokensMax } = request;
    expect({ reasoningEffort, reasoningTokensMax }).toEqual({ reasoningTokensMax: undefined, ...expected });
    expect(thinking).toBe(display);
  });

  it.each<[string, object | undefined, object]>([
    ["no choice", undefined, { mode: "auto", names: null, parallel: true }],
    ["auto", { type: "auto" }, { mode: "auto", names: null, parallel: true }],
    [
      "auto, one at a time",
      { type: "auto", disable_parallel_tool_use: true },
      { mode: "auto", names: null, parallel: false },
    ],
    ["any", { type: "any" }, { mode: "required", names: null, parallel: true }],
    [
      "a tool",
      { type: "tool", name: "get_weather" },
      {
        mode: "required",
        names: ["get_weather"],
        parallel: false,
        forced: { parallelAfterwards: true },
      },
    ],
    ["none", { type: "none" }, { mode: "none", names: null, parallel: true }],
  ])("reads the tool choice: %s", (_case, choice, expected) => {
    const { tools, toolChoice, schemaPaths } = requestOf({ tools: [weather], tool_choice: choice });
    const { input_schema: parameters, ...named } = weather;
    const none = choice !== undefined && "type" in choice && choice.type === "none";
    const read = [{ ...named, parameters }];
    expect(toolChoice).toEqual(none ? { ...expected, withheld: read } : expected);
    expect(tools).toEqual(none ? [] : read);
    expect(schemaPaths?.tools).toEqual(none ? [] : ["tools.0.input_schema"]);
  });

  it("reads a tool of the type custom and a tool without a description", () => {
    const { tools } = requestOf({
      tools: [{ type: "custom", name: "f", input_schema: {}, strict: true, cache_control: {} }],
    });
    expect(tools).toEqual([{ name: "f", parameters: {} }]);
  });

  it("reads the output schema under its new and its old name", () => {
    const format = { type: "json_schema", schema: { type: "object" } };
    const wanted = { type: "json-schema", schema: { type: "object" } };
    const modern = requestOf({ output_config: { format }, output_format: { ...format, schema: {} } });
    expect([modern.format, modern.schemaPaths?.format]).toEqual([wanted, "output_config.format.schema"]);
    const older = requestOf({ output_format: format });
    expect([older.format, older.schemaPaths?.format]).toEqual([wanted, "output_format.schema"]);
  });
});
