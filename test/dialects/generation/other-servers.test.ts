import { describe, expect, it } from "vitest";
import type { GenerationRequest } from "../../../src/core/generation.js";
import { parseCompleteRequest } from "../../../src/dialects/anthropic-complete/parse.js";
import { parseMessagesRequest } from "../../../src/dialects/anthropic-messages/parse.js";
import { parseOllamaChat } from "../../../src/dialects/ollama/chat/parse.js";
import { parseOllamaGenerate } from "../../../src/dialects/ollama/generate/parse.js";
import { parseChatRequest } from "../../../src/dialects/openai-chat/parse.js";
import { parseCompletionRequest } from "../../../src/dialects/openai-completions/parse.js";
import { generationRequest, parseResponsesRequest } from "../../../src/dialects/openai-responses/parse.js";

const model = "ember-1m";
const hello = { role: "user", content: "Hello" };
const begun = { role: "assistant", content: "Once" };

type Read = (fields: object) => Partial<GenerationRequest>;

const readResponse: Read = (fields) => {
  const parsed = parseResponsesRequest({ model, input: [hello], ...fields });
  return generationRequest(parsed, parsed.input);
};
const readOllamaChat: Read = (fields) =>
  parseOllamaChat({ model, messages: [hello], ...fields }).request ?? {};
const readGenerate: Read = (fields) =>
  parseOllamaGenerate({ model, prompt: "Once", ...fields }).request ?? {};
/** Moves all fields into the options, except the messages. */
const inOptions = ({ messages, ...options }: { readonly messages?: unknown }): object =>
  messages === undefined ? { options } : { messages, options };

/** Every dialect of text models, with where its fields are. */
const conversations: readonly (readonly [name: string, read: Read, place: string])[] = [
  ["chat completions", (fields) => parseChatRequest({ model, messages: [hello], ...fields }).request, ""],
  ["messages", (fields) => parseMessagesRequest({ model, messages: [hello], ...fields }).request, ""],
  ["responses", readResponse, ""],
  ["/api/chat", readOllamaChat, ""],
  ["/api/chat with options", (fields) => readOllamaChat(inOptions(fields)), "options."],
  ["/api/generate", readGenerate, ""],
  ["/api/generate with options", (fields) => readGenerate(inOptions(fields)), "options."],
];
const withoutReasoning: typeof conversations = [
  ["completions", (fields) => parseCompletionRequest({ model, prompt: "Once", ...fields }).request, ""],
  ["/api/generate with a raw prompt", (fields) => readGenerate({ raw: true, ...fields }), ""],
  [
    "complete",
    (fields) =>
      parseCompleteRequest({
        model,
        prompt: "\n\nHuman: Hi\n\nAssistant:",
        max_tokens_to_sample: 9,
        ...fields,
      }).request,
    "",
  ],
];
const dialects = [...conversations, ...withoutReasoning];

const schema = { type: "object" };
const grammar = 'root ::= "yes" | "n\\"o\\n"';
const inGrammar = { format: { type: "grammar", syntax: "gbnf", grammar } };
const regex = "[ab]{1,9}|c";
const inRegex = { format: { type: "grammar", syntax: "regex", grammar: regex } };
const inSchema = { format: { type: "json-schema", schema } };

/** Fields of other servers, and what they change of the request. */
const applied: readonly (readonly [fields: object, meaning: object, formatPath?: string])[] = [
  [{ temperature: 0.3 }, { sampling: { temperature: 0.3 } }],
  [{ top_k: 0 }, { sampling: { topK: null } }],
  [{ top_k: -1 }, { sampling: { topK: null } }],
  [{ top_k: 100_000 }, { sampling: { topK: 100_000 } }],
  [{ seed: -1 }, { sampling: { seed: null } }],
  [{ min_p: 0.1 }, { sampling: { minP: 0.1 } }],
  [{ logit_bias: { 5: -100 } }, { sampling: { logitBias: { 5: -100 } } }],
  [{ frequency_penalty: 0.5 }, { sampling: { frequencyPenalty: 0.5 } }],
  [{ repeat_last_n: -1 }, { sampling: { penaltyTokens: null } }],
  [{ repetition_penalty: 1.1 }, { sampling: { repeatPenalty: 1.1 } }],
  [{ repeat_penalty: 1.2 }, { sampling: { repeatPenalty: 1.2 } }],
  [{ stop: ["End"] }, { stop: expect.arrayContaining(["End"]) as unknown }],
  [{ min_tokens: 4 }, { minTokens: 4 }],
  [{ ignore_eos: true }, { minTokens: Infinity }],
  [{ stop_token_ids: [7] }, { stopTokens: [7] }],
  [{ guided_json: schema }, inSchema, "guided_json"],
  [{ guided_json: JSON.stringify(schema) }, inSchema, "guided_json"],
  [{ json_schema: schema }, inSchema, "json_schema"],
  [{ structured_outputs: { json: schema } }, inSchema, "structured_outputs.json"],
  [{ guided_choice: ["yes", 'n"o\n'] }, inGrammar, "guided_choice"],
  [{ structured_outputs: { choice: ["yes", 'n"o\n'] } }, inGrammar, "structured_outputs.choice"],
  [{ grammar }, inGrammar, "grammar"],
  [{ guided_regex: regex }, inRegex, "guided_regex"],
  [{ structured_outputs: { regex } }, inRegex, "structured_outputs.regex"],
  [{ guided_grammar: grammar }, inGrammar, "guided_grammar"],
];

const on = { reasoningEffort: "medium" };
const off = { reasoningEffort: "none" };

/** Fields that say whether and how much the model reasons. */
const reasoning: readonly (readonly [fields: object, meaning: object])[] = [
  [{ enable_thinking: false }, off],
  [{ enable_thinking: true }, on],
  [
    { chat_template_kwargs: { enable_thinking: false } },
    { ...off, templateVariables: { enable_thinking: false } },
  ],
  [{ chat_template_kwargs: { thinking: true } }, { ...on, templateVariables: { thinking: true } }],
  [{ thinking: { type: "disabled" } }, off],
  [{ reasoning: { enabled: false } }, off],
  [{ reasoning: { effort: "low", max_tokens: 7 } }, { reasoningEffort: "low", reasoningTokensMax: 7 }],
  [
    { thinking_budget: 99, enable_thinking: true },
    { ...on, reasoningTokensMax: 99 },
  ],
  [{ thinking_budget: 99 }, { reasoningEffort: "default", reasoningTokensMax: 99 }],
  [{ reasoning_effort: "high" }, { reasoningEffort: "high" }],
  [{ reasoning_effort: "high", enable_thinking: false }, off],
  [
    { chat_template_kwargs: { enable_thinking: true, style: "plain" }, thinking: { type: "disabled" } },
    { ...off, templateVariables: { enable_thinking: false, style: "plain" } },
  ],
];

describe.each(dialects)("%s", (name, read, place) => {
  it("applies each field of other servers that the engine can do", () => {
    for (const [fields, meaning, formatPath] of applied) {
      const request = read(fields);
      expect([fields, request]).toMatchObject([fields, meaning]);
      if (formatPath !== undefined) expect(request.schemaPaths?.format).toBe(place + formatPath);
    }
  });

  it("names each sampler that is not applied, and none that does nothing", () => {
    const stated = {
      typical_p: 0.9,
      tfs_z: 1,
      mirostat: 2,
      mirostat_mode: 0,
      dry_multiplier: 0.8,
      top_n_sigma: -1,
    };
    const { warnings = [] } = read(stated);
    const named = ["typical_p", "mirostat", "dry_multiplier"].map((name) => place + name);
    expect(warnings.map((each) => each.split(" ")[0])).toEqual(named);
  });

  it("refuses what cannot be left out without another meaning", () => {
    for (const [field, value] of [
      ["prompt_logprobs", 1],
      ["use_beam_search", true],
      ["bad_words", ["no"]],
      ["allowed_token_ids", [1]],
      ["truncate_prompt_tokens", 5],
    ] as const) {
      if (field === "truncate_prompt_tokens" && name === "completions") continue;
      expect(() => read({ [field]: value })).toThrow(new RegExp(`^${place}${field}: `));
      expect(() => read({ [field]: Array.isArray(value) ? [] : null })).not.toThrow();
    }
  });

  it("refuses two formats of one text", () => {
    expect(() => read({ grammar, guided_regex: regex })).toThrow(/grammar: is not allowed together/);
    expect(() => read({ grammar, guided_json: schema })).toThrow(
      `${place}grammar: is not allowed together with ${place}guided_json`,
    );
  });
});

describe.each(conversations)("%s", (name, read, place) => {
  it("says in many ways whether and how much the model reasons", () => {
    for (const [fields, meaning] of reasoning)
      expect([fields, read(fields)]).toMatchObject([fields, meaning]);
  });

  it("continues the last message with continue_final_message, and with prefix in it", () => {
    const isPrompt = name.startsWith("/api/generate");
    const last = (message: object) => ({
      [name === "responses" ? "input" : "messages"]: [hello, message],
    });
    if (isPrompt) {
      expect(() => read({ continue_final_message: true })).toThrow(
        `${place}continue_final_message: continuing a prompt without raw is not supported`,
      );
      return;
    }
    for (const fields of [
      { ...last(begun), continue_final_message: true, add_generation_prompt: false },
      last({ ...begun, prefix: true }),
    ])
      expect([fields, read(fields)]).toMatchObject([
        fields,
        { messages: [hello], prefill: "Once", reasoningEffort: "none" },
      ]);
    expect(() => read({ continue_final_message: true })).toThrow(/^(messages|input)\.0: cannot be continued/);
    expect(() => read({ add_generation_prompt: false })).toThrow(`${place}add_generation_prompt: `);
    expect(() => read({ ...last({ ...begun, prefix: true }), grammar })).toThrow(
      /: cannot be continued with /,
    );
  });
});

describe.each(withoutReasoning)("%s", (_, read) => {
  it("names each field about reasoning, which its answer does not have", () => {
    for (const [fields] of reasoning) {
      const { warnings = [] } = read(fields);
      expect(warnings.map((each) => each.split(" ")[0]).toSorted()).toEqual(Object.keys(fields).toSorted());
    }
  });
});
