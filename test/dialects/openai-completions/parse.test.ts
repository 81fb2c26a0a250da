import { describe, expect, it } from "vitest";
import { HearthError } from "../../../src/core/errors.js";
import { parseCompletionRequest } from "../../../src/dialects/openai-completions/parse.js";

const body = (fields: object = {}): object => ({ model: "ember-1m", prompt: "Once upon", ...fields });

function errorOf(fields: object): HearthError {
  try {
    parseCompletionRequest(body(fields));
  } catch (thrown) {
    if (thrown instanceof HearthError) return thrown;
    throw thrown;
  }
  throw new Error("the request was accepted");
}

describe("a completion request", () => {
  it("requests one choice of sixteen tokens by default", () => {
    const { request, ...fields } = parseCompletionRequest(body());
    expect(request).toEqual({
      model: "ember-1m",
      messages: [],
      raw: { prompts: [{ prompt: "Once upon", suffix: null, readsControlTokens: false }], echo: false },
      tools: [],
      toolChoice: { mode: "none", names: null, parallel: true },
      format: { type: "text" },
      reasoningEffort: "default",
      sampling: { logitBias: {} },
      topLogprobs: null,
      choices: 1,
      stop: [],
      maxTokens: null,
      warnings: [],
      maxTokensUnstated: 16,
      maxTokensExcludesReasoning: false,
      deterministic: false,
    });
    expect(fields).toEqual({
      stream: false,
      includeUsage: false,
      includesLogprobs: false,
      choicesReturnedPerPrompt: 1,
      choicesSampledPerPrompt: 1,
    });
  });

  it.each<[string, unknown, (string | number[])[]]>([
    ["a text", "Once upon", ["Once upon"]],
    ["an empty text", "", [""]],
    ["several texts", ["Once", "upon"], ["Once", "upon"]],
    ["the tokens of one prompt", [3, 1, 4], [[3, 1, 4]]],
    ["the tokens of several prompts", [[3, 1], [4]], [[3, 1], [4]]],
    ["a text with an unpaired surrogate, which is replaced", "a\uD800", ["a\uFFFD"]],
  ])("accepts as its prompt %s", (_form, prompt, expected) => {
    const { request } = parseCompletionRequest(body({ prompt, n: 2 }));
    expect(request.raw?.prompts.map((each) => each.prompt)).toEqual(expected);
    expect(request.choices).toBe(expected.length * 2);
  });

  it("treats null as absent", () => {
    const fields = ["suffix", "max_tokens", "n", "best_of", "echo", "logprobs", "stop", "seed", "logit_bias"];
    const nulls = Object.fromEntries(fields.map((field) => [field, null]));
    expect(parseCompletionRequest(body(nulls))).toEqual(parseCompletionRequest(body()));
  });

  it.each([
    [{ logprobs: 3 }, 3, true],
    [{ logprobs: 0 }, 0, true],
    [{ logprobs: true }, 1, true],
    [{ logprobs: false }, null, false],
    [{ n: 1, best_of: 3 }, 0, false],
    [{ n: 3, best_of: 3 }, null, false],
  ])("with %j requests %s alternatives from the engine", (fields, alternatives, expectsLogprobs) => {
    const { request, includesLogprobs } = parseCompletionRequest(body(fields));
    expect([request.topLogprobs, includesLogprobs]).toEqual([alternatives, expectsLogprobs]);
  });

  it("samples best_of choices and returns n of them", () => {
    const parsed = parseCompletionRequest(body({ prompt: ["a", "b"], n: 2, best_of: 5 }));
    expect([parsed.choicesReturnedPerPrompt, parsed.choicesSampledPerPrompt, parsed.request.choices]).toEqual(
      [2, 5, 10],
    );
  });

  it("passes on the sampling settings and stop sequences", () => {
    const { request } = parseCompletionRequest(
      body({
        temperature: 0.5,
        top_p: 0,
        seed: -2,
        frequency_penalty: 1,
        logit_bias: { 7: -100 },
        stop: "END",
      }),
    );
    expect(request.sampling).toMatchObject({ temperature: 0.5, topP: 1e-6, seed: 0xfffffffe });
    expect(request.sampling).toMatchObject({ frequencyPenalty: 1, logitBias: { 7: -100 } });
    expect(request.stop).toEqual(["END"]);
  });

  it("passes on the suffix, unless it is empty", () => {
    const suffixes = ["the end", ""].map(
      (suffix) => parseCompletionRequest(body({ suffix })).request.raw?.prompts[0]?.suffix,
    );
    expect(suffixes).toEqual(["the end", null]);
  });

  it.each<[object, string, string]>([
    [{ prompt: undefined }, "invalid_field", "prompt"],
    [{ prompt: null }, "invalid_field", "prompt"],
    [{ prompt: 7 }, "invalid_field", "prompt"],
    [{ prompt: [] }, "invalid_value", "prompt"],
    [{ prompt: ["a", 1] }, "invalid_field", "prompt.1"],
    [{ prompt: [1, "a"] }, "invalid_field", "prompt.1"],
    [{ prompt: [1, 2.5] }, "invalid_field", "prompt.1"],
    [{ prompt: [1, -1] }, "invalid_value", "prompt.1"],
    [{ prompt: [[1], 2] }, "invalid_field", "prompt.1"],
    [{ prompt: [[1, null]] }, "invalid_field", "prompt.0.1"],
    [{ prompt: [true] }, "invalid_field", "prompt.0"],
    [{ prompt: Array.from({ length: 129 }, () => "a") }, "invalid_value", "prompt"],
    [{ prompt: ["a", "b"], n: 65 }, "invalid_value", "prompt"],
    [{ model: "" }, "invalid_value", "model"],
    [{ max_tokens: -2 }, "invalid_value", "max_tokens"],
    [{ n: 0 }, "invalid_value", "n"],
    [{ best_of: 0 }, "invalid_value", "best_of"],
    [{ best_of: 21 }, "invalid_value", "best_of"],
    [{ n: 3, best_of: 2 }, "invalid_value", "best_of"],
    [{ best_of: 2, stream: true }, "invalid_value", "best_of"],
    [{ logprobs: 6 }, "invalid_value", "logprobs"],
    [{ logprobs: "1" }, "invalid_field", "logprobs"],
    [{ echo: true, logprobs: 0 }, "invalid_value", "echo"],
    [{ stream_options: { include_usage: true } }, "invalid_value", "stream_options"],
    [{ temperature: 2.5 }, "invalid_value", "temperature"],
    [{ stop: Array.from({ length: 17 }, (_, at) => `${at}`) }, "invalid_value", "stop"],
    [{ suffix: 1 }, "invalid_field", "suffix"],
  ])("with %j is rejected as %s with the field %s", (fields, kind, param) => {
    const error = errorOf(fields);
    expect([error.kind, error.param]).toEqual([kind, param]);
    expect(error.message).toContain(`${param}: `);
  });
});
