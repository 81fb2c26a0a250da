/**
 * From a raw prompt to prompt tokens, without a chat template: text by the tokenizer, token ids as they are, and both sides of
 * a gap in the order in which the model was taught to fill it. No id reaches native code that the vocabulary has not.
 */
import type { Prompt } from "../../../core/engine.js";
import { HearthError } from "../../../core/errors.js";
import type { RawPrompt } from "../../../core/generation.js";
import { promptTooLong } from "./context-length.js";

/** Control tokens around the text before a gap, the text after it, and what belongs into it. */
export interface InfillTokens {
  readonly prefix: number;
  readonly suffix: number;
  /** null: the text after the gap comes first, and the answer follows the text before it. */
  readonly middle: number | null;
}

/** What this file needs of a loaded model. */
export interface RawPromptModel {
  /** Token put before every text that does not begin with it; null when the model wants none. */
  readonly prependToken: number | null;
  /** null: the model cannot fill in. */
  readonly infill: InfillTokens | null;
  readonly vocabularyTokens: number;
  readonly contextTokens: number;
  /** No text of n bytes has fewer than n / longestTokenBytes tokens. */
  readonly longestTokenBytes: number;
  /** Reads control tokens as such. */
  tokenize(text: string, specialTokens: boolean): readonly number[];
  bytesOf(token: number): Uint8Array;
}

export type RawPromptMaker = (prompt: RawPrompt) => Prompt;

/**
 * Builds the maker of raw prompts of one model.
 * @param plain the tokens of a text in which nothing is a control token.
 */
export function createRawPromptMaker(
  model: RawPromptModel,
  plain: (text: string) => readonly number[],
): RawPromptMaker {
  return (raw) => {
    const tokensOf = (text: string): readonly number[] => {
      const fewest = Math.ceil(Buffer.byteLength(text) / model.longestTokenBytes);
      if (fewest >= model.contextTokens)
        throw promptTooLong(model.contextTokens, `at least ${fewest}`, "prompt");
      return raw.readsControlTokens ? model.tokenize(text, true) : plain(text);
    };
    const { prompt, suffix } = raw;
    const isText = typeof prompt === "string";
    const before = isText ? tokensOf(prompt) : known(model, prompt);
    const tokens = suffix === null ? [...before] : aroundGap(model, before, tokensOf(suffix));
    if (isText && model.prependToken !== null && tokens[0] !== model.prependToken)
      tokens.unshift(model.prependToken);
    if (tokens.length === 0) throw invalid("must not be empty");
    if (tokens.length >= model.contextTokens)
      throw promptTooLong(model.contextTokens, String(tokens.length), "prompt");
    const rawText = isText ? prompt : textOf(model, prompt);
    return { tokens: Uint32Array.from(tokens), startsInReasoning: false, rawText };
  };
}

/** @throws HearthError when an id is none of the vocabulary's. */
function known({ vocabularyTokens }: RawPromptModel, tokens: readonly number[]): readonly number[] {
  const at = tokens.findIndex((id) => !Number.isInteger(id) || id < 0 || id >= vocabularyTokens);
  if (at < 0) return tokens;
  throw invalid(
    `the token ${String(tokens[at])} at position ${at} is none of the ${vocabularyTokens} of this model's vocabulary`,
  );
}

function aroundGap(
  { infill }: RawPromptModel,
  before: readonly number[],
  after: readonly number[],
): number[] {
  if (infill === null)
    throw new HearthError("invalid_value", "suffix: this model has no tokens to fill in a gap with", {
      param: "suffix",
      code: "unsupported_parameter",
    });
  const { prefix, suffix, middle } = infill;
  return middle === null
    ? [suffix, ...after, prefix, ...before]
    : [prefix, ...before, suffix, ...after, middle];
}

function textOf(model: RawPromptModel, tokens: readonly number[]): string {
  return Buffer.concat(tokens.map((token) => model.bytesOf(token))).toString();
}

function invalid(problem: string): HearthError {
  return new HearthError("invalid_value", `prompt: ${problem}`, { param: "prompt" });
}
