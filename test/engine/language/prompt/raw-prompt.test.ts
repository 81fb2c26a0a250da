import { describe, expect, it } from "vitest";
import { HearthError } from "../../../../src/core/errors.js";
import type { RawPrompt } from "../../../../src/core/generation.js";
import {
  createRawPromptBuilder,
  type RawPromptModel,
} from "../../../../src/engine/language/prompt/raw-prompt.js";

const characters = (text: string): number[] => Array.from(text, (character) => character.charCodeAt(0));

/** Every character is its own token; read with control tokens, `#` is the token 300. */
const model: RawPromptModel = {
  prependToken: null,
  infill: { prefix: 301, suffix: 302, middle: 303 },
  vocabularyTokens: 310,
  contextTokens: 20,
  longestTokenBytes: 4,
  tokenize: (text) => characters(text).map((code) => (code === 35 ? 300 : code)),
  readBytes: (token) => (token < 256 ? Uint8Array.of(token) : new Uint8Array(0)),
};

function make(raw: Partial<RawPrompt>, changes: Partial<RawPromptModel> = {}) {
  const maker = createRawPromptBuilder({ ...model, ...changes }, characters);
  const { tokens, ...rest } = maker({ prompt: "a", suffix: null, readsControlTokens: false, ...raw });
  return { tokens: [...tokens], ...rest };
}

/** Returns the error of a prompt. */
function refusal(raw: Partial<RawPrompt>, changes: Partial<RawPromptModel> = {}): HearthError {
  try {
    make(raw, changes);
  } catch (thrown) {
    if (thrown instanceof HearthError) return thrown;
    throw thrown;
  }
  throw new Error("nothing was refused");
}

describe("a raw prompt", () => {
  it("contains only its text, and no reasoning is expected", () => {
    expect(make({ prompt: "a#b" })).toEqual({
      tokens: [97, 35, 98],
      startsInReasoning: false,
      rawText: "a#b",
    });
  });

  it("contains control tokens only if the client requests them", () => {
    expect(make({ prompt: "a#", suffix: "#", readsControlTokens: true }).tokens).toEqual([
      301, 97, 300, 302, 300, 303,
    ]);
    expect(make({ prompt: "a#", suffix: "#" }).tokens).toEqual([301, 97, 35, 302, 35, 303]);
  });

  it("begins with the model's first token, once, if it is a text", () => {
    const changes = { prependToken: 300 };
    expect(make({ prompt: "a" }, changes).tokens).toEqual([300, 97]);
    expect(make({ prompt: "#", readsControlTokens: true }, changes).tokens).toEqual([300]);
    expect(make({ prompt: "" }, changes).tokens).toEqual([300]);
    expect(make({ prompt: [97] }, changes).tokens).toEqual([97]);
    expect(make({ suffix: "z" }, changes).tokens).toEqual([300, 301, 97, 302, 122, 303]);
  });

  it("contains its token ids unchanged, and their text", () => {
    expect(make({ prompt: [104, 195, 169, 300] })).toMatchObject({
      tokens: [104, 195, 169, 300],
      rawText: "hé",
    });
  });

  it("keeps only its last tokens where a request says how many, the first token included", () => {
    const long = "x".repeat(500);
    expect(make({ prompt: `${long}abc`, lastTokens: 3 })).toMatchObject({
      tokens: [97, 98, 99],
      rawText: "abc",
    });
    expect(make({ prompt: `${long}bc`, lastTokens: 3 }, { prependToken: 300 }).tokens).toEqual([300, 98, 99]);
    expect(make({ prompt: "bc", lastTokens: 3 }, { prependToken: 300 })).toMatchObject({
      tokens: [300, 98, 99],
      rawText: "bc",
    });
    expect(make({ prompt: [97, 98, 99], lastTokens: 2 }, { prependToken: 300 }).tokens).toEqual([98, 99]);
    expect(make({ prompt: "abc", lastTokens: 99 }).tokens).toEqual([97, 98, 99]);
    expect(refusal({ prompt: long, lastTokens: 20 }).kind).toBe("context_length_exceeded");
  });

  it("ends with the text before the gap for a model without a middle token", () => {
    const changes = { infill: { prefix: 301, suffix: 302, middle: null } };
    expect(make({ prompt: [97], suffix: "z" }, changes).tokens).toEqual([302, 122, 301, 97]);
  });

  it.each([310, -1, 1.5, Number.NaN, 2 ** 32, 2 ** 31 - 1])(
    "with the token %d, which is not in the vocabulary, never reaches native code",
    (id) => {
      const never = (): never => {
        throw new Error("native code was reached");
      };
      const error = refusal({ prompt: [97, id] }, { tokenize: never, readBytes: never });
      expect([error.kind, error.param]).toEqual(["invalid_value", "prompt"]);
      expect(error.message).toContain(`the token ${id} at position 1`);
    },
  );

  it("with a suffix is rejected for a model without infill", () => {
    const error = refusal({ suffix: "z" }, { infill: null });
    expect([error.kind, error.param, error.code]).toEqual([
      "invalid_value",
      "suffix",
      "unsupported_parameter",
    ]);
  });

  it("without tokens is rejected", () => {
    for (const prompt of ["", []]) expect(refusal({ prompt }).message).toBe("prompt: must not be empty");
  });

  it("F3: is rejected, with both numbers, when it leaves no space for one token of answer", () => {
    expect(make({ prompt: "x".repeat(19) }).tokens).toHaveLength(19);
    for (const prompt of ["x".repeat(20), Array.from({ length: 20 }, () => 97)]) {
      const error = refusal({ prompt });
      expect([error.kind, error.param]).toEqual(["context_length_exceeded", "prompt"]);
      expect(error.message).toBe(
        "This model's maximum prompt length is 19 but the request contains 20 tokens.",
      );
    }
    expect(refusal({ prompt: "x".repeat(15), suffix: "z".repeat(2) }).message).toContain(
      "contains 20 tokens",
    );
  });

  it("F3: is rejected before tokenization when it is far too long, before and after a gap", () => {
    const never = (): never => {
      throw new Error("tokenised");
    };
    const flood = "x".repeat(5_000_000);
    for (const raw of [{ prompt: flood }, { prompt: [97], suffix: flood }])
      expect(refusal({ ...raw, readsControlTokens: true }, { tokenize: never }).message).toContain(
        "at least 1250000 tokens",
      );
  });
});
