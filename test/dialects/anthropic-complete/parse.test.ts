import { describe, expect, it } from "vitest";
import { HearthError } from "../../../src/core/errors.js";
import { parseCompleteRequest } from "../../../src/dialects/anthropic-complete/parse.js";

const prompt = "\n\nHuman: Hello!\n\nAssistant:";
const body = (fields: object = {}): object => ({
  model: "ember-1m",
  prompt: prompt,
  max_tokens_to_sample: 20,
  ...fields,
});

function errorOf(fields: object): HearthError {
  try {
    parseCompleteRequest(body(fields));
  } catch (thrown) {
    if (thrown instanceof HearthError) return thrown;
    throw thrown;
  }
  throw new Error("the request was accepted");
}

describe("a complete request", () => {
  it("requests an answer without reasoning that stops at the human's next turn", () => {
    const { request, stream } = parseCompleteRequest(body({ stop_sequences: ["END", "\n\nHuman:"] }));
    expect(request).toMatchObject({
      messages: [{ role: "user", content: "Hello!" }],
      reasoningEffort: "none",
      stop: ["\n\nHuman:", "END"],
      maxTokens: 20,
    });
    expect(request.prefill).toBeUndefined();
    expect(stream).toBe(false);
  });

  it.each<[string, string, [string, string][], string | undefined]>([
    [
      "system text before the first turn",
      `Be brief.${prompt}`,
      [
        ["system", "Be brief."],
        ["user", "Hello!"],
      ],
      undefined,
    ],
    ["a first turn without empty lines before it", "Human: Hi\n\nAssistant:", [["user", "Hi"]], undefined],
    [
      "several turns",
      "\n\nHuman: One\n\nAssistant: 1\n\nHuman: Two\n\nAssistant:",
      [
        ["user", "One"],
        ["assistant", "1"],
        ["user", "Two"],
      ],
      undefined,
    ],
    ["the beginning of the answer", `${prompt} Well, `, [["user", "Hello!"]], "Well,"],
    [
      "turn markers within a line, which do not start a turn",
      "\n\nHuman: a Human: b\n\nAssistant:",
      [["user", "a Human: b"]],
      undefined,
    ],
  ])("accepts %s", (_case, prompt, turns, prefill) => {
    const { request } = parseCompleteRequest(body({ prompt }));
    expect(request.messages.map(({ role, content }) => [role, content])).toEqual(turns);
    expect(request.prefill).toBe(prefill);
  });

  it.each([
    [
      { temperature: 0, top_p: 0.5, top_k: 7 },
      { temperature: 0, topP: 0.5, topK: 7 },
    ],
    [{ top_k: -1 }, { topK: null }],
    [
      { top_k: 0, top_p: 0 },
      { topK: null, topP: 1e-6 },
    ],
    [
      { temperature: null, top_p: null, top_k: null },
      { temperature: undefined, topP: undefined, topK: undefined },
    ],
  ])("with %j has the sampling settings %j", (fields, sampling) => {
    expect(parseCompleteRequest(body(fields)).request.sampling).toMatchObject(sampling);
  });

  it.each<[object, string, string]>([
    [{ prompt: undefined }, "invalid_field", "prompt"],
    [{ prompt: "Hello!" }, "invalid_value", "prompt"],
    [{ prompt: "\n\nHuman: Hello!" }, "invalid_value", "prompt"],
    [{ prompt: "\n\nAssistant:" }, "invalid_value", "prompt"],
    [{ prompt: "\n\nHuman: a\n\nAssistant: b\n\nHuman: c" }, "invalid_value", "prompt"],
    [{ max_tokens_to_sample: undefined }, "invalid_field", "max_tokens_to_sample"],
    [{ max_tokens_to_sample: -2 }, "invalid_value", "max_tokens_to_sample"],
    [{ max_tokens_to_sample: 1.5 }, "invalid_field", "max_tokens_to_sample"],
    [{ temperature: 3 }, "invalid_value", "temperature"],
    [{ stop_sequences: [""] }, "invalid_value", "stop_sequences.0"],
    [{ stream: "yes" }, "invalid_field", "stream"],
  ])("with %j is rejected as %s with the field %s", (fields, kind, param) => {
    const error = errorOf(fields);
    expect([error.kind, error.param]).toEqual([kind, param]);
  });
});
