import { describe, expect, it } from "vitest";
import { parseChatRequest } from "../../../src/dialects/openai-chat/parse.js";
import { parseCompletionRequest } from "../../../src/dialects/openai-completions/parse.js";
import { parseResponsesRequest } from "../../../src/dialects/openai-responses/parse.js";
import { body, errorOf, hello } from "./requests.js";

const requestOf = (fields: object) => parseChatRequest(body(fields)).request;

/** The parsers of the endpoints that share the fields of other engines. */
const endpoints = [
  ["chat completions", requestOf],
  [
    "completions",
    (fields: object) => parseCompletionRequest({ model: "ember-1m", prompt: "Once", ...fields }).request,
  ],
  [
    "responses",
    (fields: object) => parseResponsesRequest({ model: "ember-1m", input: "Hello", ...fields }).generation,
  ],
] as const;

describe.each(endpoints)("%s", (_, read) => {
  it("take off values of other servers as no limit, and clamp nothing that the engine clamps", () => {
    for (const [fields, sampling] of [
      [{ top_k: 0 }, { topK: null }],
      [{ top_k: -1 }, { topK: null }],
      [{ top_k: 100_000 }, { topK: 100_000 }],
      [{ seed: -1 }, { seed: null }],
      [{ repeat_last_n: -1 }, { penaltyTokens: null }],
      [{ repetition_penalty: 1.1 }, { repeatPenalty: 1.1 }],
      [{ repeat_penalty: 1.2 }, { repeatPenalty: 1.2 }],
    ] as const)
      expect([fields, read(fields).sampling]).toMatchObject([fields, sampling]);
  });

  it("pass on when the model may end the answer, and the tokens that end it", () => {
    expect(read({ min_tokens: 4, stop_token_ids: [7] })).toMatchObject({ minTokens: 4, stopTokens: [7] });
    expect(read({ ignore_eos: true }).minTokens).toBe(Infinity);
  });

  it("name each sampler that is not applied, and none that does nothing", () => {
    const stated = {
      typical_p: 0.9,
      tfs_z: 1,
      mirostat: 2,
      mirostat_mode: 0,
      dry_multiplier: 0.8,
      top_n_sigma: -1,
    };
    const { warnings = [] } = read(stated);
    expect(warnings.map((each) => each.split(" ")[0])).toEqual(["typical_p", "mirostat", "dry_multiplier"]);
  });

  it("refuse what cannot be left out without another meaning", () => {
    for (const [field, value] of [
      ["prompt_logprobs", 1],
      ["use_beam_search", true],
      ["bad_words", ["no"]],
      ["allowed_token_ids", [1]],
      ["truncate_prompt_tokens", 5],
    ] as const) {
      expect(() => read({ [field]: value })).toThrow(field);
      expect(() => read({ [field]: Array.isArray(value) ? [] : null })).not.toThrow();
    }
  });
});

describe("a chat request", () => {
  it("says in many ways whether and how much the model reasons", () => {
    for (const [fields, meaning] of [
      [{ enable_thinking: false }, { reasoningEffort: "none" }],
      [{ chat_template_kwargs: { enable_thinking: false } }, { reasoningEffort: "none" }],
      [{ chat_template_kwargs: { thinking: true } }, { reasoningEffort: "medium" }],
      [{ thinking: { type: "disabled" } }, { reasoningEffort: "none" }],
      [
        { thinking: { type: "enabled", budget_tokens: 99 } },
        { reasoningEffort: "medium", reasoningTokensMax: 99 },
      ],
      [{ thinking: { type: "auto" } }, { reasoningEffort: "default" }],
      [{ reasoning: { enabled: false } }, { reasoningEffort: "none" }],
      [{ reasoning: { effort: "low", max_tokens: 7 } }, { reasoningEffort: "low", reasoningTokensMax: 7 }],
      [{ thinking_budget: -1 }, { reasoningEffort: "default", reasoningTokensMax: undefined }],
      [{ reasoning_effort: "high", enable_thinking: false }, { reasoningEffort: "none" }],
    ] as const)
      expect([fields, requestOf(fields)]).toMatchObject([fields, meaning]);
  });

  it("continues its last message with continue_final_message, and with prefix in the message", () => {
    const begun = { role: "assistant", content: "Once" };
    for (const fields of [
      { messages: [hello, begun], continue_final_message: true, add_generation_prompt: false },
      { messages: [hello, { ...begun, prefix: true }] },
    ])
      expect(requestOf(fields)).toMatchObject({
        messages: [hello],
        prefill: "Once",
        reasoningEffort: "none",
      });
    expect(errorOf(body({ continue_final_message: true })).param).toBe("messages.0");
    expect(errorOf(body({ add_generation_prompt: false })).param).toBe("add_generation_prompt");
  });

  it("requires a schema, one of several texts or a grammar in the fields of other servers", () => {
    const schema = { type: "object" };
    const grammar = 'root ::= "yes" | "n\\"o\\n"';
    for (const [fields, format, formatPath] of [
      [{ guided_json: schema }, { type: "json-schema", schema }, "guided_json"],
      [{ guided_json: JSON.stringify(schema) }, { type: "json-schema", schema }, "guided_json"],
      [{ json_schema: schema }, { type: "json-schema", schema }, "json_schema"],
      [{ structured_outputs: { json: schema } }, { type: "json-schema", schema }, "structured_outputs.json"],
      [{ guided_choice: ["yes", 'n"o\n'] }, { type: "grammar", grammar }, "guided_choice"],
      [{ grammar }, { type: "grammar", grammar }, "grammar"],
      [{ guided_grammar: grammar }, { type: "grammar", grammar }, "guided_grammar"],
    ] as const)
      expect([fields, requestOf(fields)]).toMatchObject([
        fields,
        { format, schemaPaths: { format: formatPath } },
      ]);
    expect(errorOf(body({ guided_json: "{" })).param).toBe("guided_json");
    expect(errorOf(body({ guided_regex: "a+" })).param).toBe("guided_regex");
    expect(errorOf(body({ grammar, guided_json: schema })).param).toBe("grammar");
    expect(errorOf(body({ grammar, response_format: { type: "json_object" } })).param).toBe("grammar");
  });

  it("has tools and a choice in the flat forms of other interfaces", () => {
    const parameters = { type: "object", properties: {} };
    const flat = { type: "function", name: "look", parameters };
    const nested = { type: "function", function: { name: "look", parameters } };
    const required = { mode: "required", names: ["look"] };
    for (const [tools, choice, toolChoice] of [
      [[flat], undefined, { mode: "auto" }],
      [[nested], "any", { mode: "required", names: null }],
      [[nested], { type: "any" }, { mode: "required", names: null }],
      [[nested], { type: "auto" }, { mode: "auto" }],
      [[flat], { type: "function", name: "look" }, required],
      [[nested], { type: "tool", name: "look" }, required],
    ] as const)
      expect(requestOf({ tools, tool_choice: choice })).toMatchObject({
        tools: [{ name: "look" }],
        toolChoice,
      });
    expect(errorOf(body({ tools: [{ type: "function" }] })).param).toBe("tools.0.function");
    expect(errorOf(body({ tools: [flat], tool_choice: { type: "function" } })).param).toBe(
      "tool_choice.function",
    );
  });

  it("has calls without ids, with arguments as an object or none, and results without content", () => {
    const call = (given: unknown) => ({ id: null, function: { name: "look", arguments: given } });
    const { messages } = requestOf({
      messages: [
        hello,
        { role: "assistant", content: null, tool_calls: [call({ at: 1 }), call(null), call("")] },
        { role: "tool", content: null },
        { role: "tool" },
      ],
    });
    const [, assistant, first, second] = messages;
    expect(assistant?.toolCalls?.map((each) => each.arguments)).toEqual(['{"at":1}', "{}", ""]);
    const ids = assistant?.toolCalls?.map(({ id }) => id) ?? [];
    expect(new Set(ids).size).toBe(3);
    expect([first?.toolCallId, second?.toolCallId]).toEqual(ids.slice(0, 2));
  });

  it("has the reasoning of an earlier answer under the names that servers give it", () => {
    for (const fields of [
      { reasoning_content: "Hm." },
      { reasoning: "Hm." },
      {
        reasoning_details: [
          { type: "reasoning.text", text: "H" },
          { type: "reasoning.summary", summary: "m." },
        ],
      },
      {
        content: [
          { type: "thinking", thinking: [{ type: "text", text: "Hm." }] },
          { type: "text", text: "Yes" },
        ],
      },
    ]) {
      const { messages } = requestOf({
        messages: [hello, { role: "assistant", content: "Yes", ...fields }, hello],
      });
      expect([fields, messages[1]]).toMatchObject([fields, { content: "Yes", reasoning: "Hm." }]);
    }
  });

  it("has images as a text, and parts as in responses", () => {
    const url = "data:image/png;base64,AAAA";
    const content = [
      { type: "input_text", text: "Look: " },
      { type: "image_url", image_url: url },
      { type: "input_image", image_url: url, detail: "original" },
    ];
    const [message] = requestOf({ messages: [{ role: "user", content }] }).messages;
    expect(message).toMatchObject({
      content: "Look: ",
      images: [
        { url, detail: "auto" },
        { url, detail: "original" },
      ],
    });
  });
});
