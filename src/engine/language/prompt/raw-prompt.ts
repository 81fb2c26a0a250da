/**
 * Converts a raw prompt to prompt tokens without a chat template: text by the tokenizer, token ids unchanged, and for infill the text
 * before and after the gap in the order the model was trained on. Native code never receives an id outside the vocabulary.
 */
import type { Prompt } from "../../../core/engine.js";
import { HearthError } from "../../../core/errors.js";
import type { RawPrompt } from "../../../core/generation.js";
import { promptTooLong } from "./context-length.js";

/** Control tokens that mark the text before a gap, the text after it, and the start of the infilled text. */
export interface InfillTokens {
  readonly prefix: number;
  readonly suffix: number;
  /** null: the text after the gap is written first, and the answer follows the text before the gap. */
  readonly middle: number | null;
}

/** The properties of a loaded model that raw prompts depend on. */
export interface RawPromptModel {
  /** Token prepended to every text that does not begin with it; null for none. */
  readonly prependToken: number | null;
  /** null: the model does not support infill. */
  readonly infill: InfillTokens | null;
  readonly vocabularyTokens: number;
  readonly contextTokens: number;
  /** No text of n bytes has fewer than n / longestTokenBytes tokens. */
  readonly longestTokenBytes: number;
  /** @param controlTokens whether control texts become control tokens. */
  tokenize(text: string, controlTokens: boolean): readonly number[];
  readBytes(token: number): Uint8Array;
}

type RawPromptBuilder = (prompt: RawPrompt) => Prompt;

/**
 * Creates the raw prompt builder of one model.
 * @param tokenizePlain returns the tokens of a text without control tokens.
 */
export function createRawPromptBuilder(
  model: RawPromptModel,
  tokenizePlain: (text: string) => readonly number[],
): RawPromptBuilder {
  return (raw) => {
    const tokenizePart = (text: string): readonly number[] => {
      const fewest = Math.ceil(Buffer.byteLength(text) / model.longestTokenBytes);
      if (raw.lastTokens === undefined && fewest >= model.contextTokens)
        throw promptTooLong(model.contextTokens, fewest, "prompt", true);
      return raw.readsControlTokens ? model.tokenize(text, true) : tokenizePlain(text);
    };
    const { prompt, suffix, lastTokens } = raw;
    const isText = typeof prompt === "string";
    const whole = isText ? tokenizePart(endOfText(model, raw, prompt)) : checkTokenIds(model, prompt);
    const before =
      lastTokens === undefined ? whole : keepLast(whole, lastTokens, isText ? model.prependToken : null);
    const tokens = suffix === null ? [...before] : aroundGap(model, before, tokenizePart(suffix));
    if (isText && model.prependToken !== null && tokens[0] !== model.prependToken)
      tokens.unshift(model.prependToken);
    if (tokens.length === 0) throw invalid("must not be empty");
    if (tokens.length >= model.contextTokens)
      throw promptTooLong(model.contextTokens, tokens.length, "prompt");
    const rawText = isText && before === whole ? prompt : decodeTokens(model, before);
    return { tokens: Uint32Array.from(tokens), startsInReasoning: false, rawText };
  };
}

/** Returns the end of a text that has the tokens which are used of it: they are fewer than the context holds. */
function endOfText(model: RawPromptModel, { lastTokens }: RawPrompt, text: string): string {
  if (lastTokens === undefined) return text;
  // Half of a character is none.
  return text.slice(-model.contextTokens * model.longestTokenBytes).replace(/^[\uDC00-\uDFFF]/, "");
}

/** @param first the token that is put before them, which counts */
function keepLast(tokens: readonly number[], count: number, first: number | null): readonly number[] {
  if (tokens.length + (first === null || tokens[0] === first ? 0 : 1) <= count) return tokens;
  const kept = first === null ? count : count - 1;
  return tokens.slice(tokens.length - kept);
}

/** @throws HearthError when an id is not in the vocabulary. */
function checkTokenIds({ vocabularyTokens }: RawPromptModel, tokens: readonly number[]): readonly number[] {
  const at = tokens.findIndex((id) => !Number.isInteger(id) || id < 0 || id >= vocabularyTokens);
  if (at < 0) return tokens;
  throw invalid(
    `the token ${String(tokens[at])} at position ${at} is not one of the ${vocabularyTokens} tokens of this model's vocabulary`,
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

function decodeTokens(model: RawPromptModel, tokens: readonly number[]): string {
  return Buffer.concat(tokens.map((token) => model.readBytes(token))).toString();
}

function invalid(problem: string): HearthError {
  return new HearthError("invalid_value", `prompt: ${problem}`, { param: "prompt" });
}
