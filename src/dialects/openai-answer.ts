/** What answers have in common in the dialects of OpenAI and xAI: what names them, and the usage object of completions. Pure. */
import type { z } from "zod";
import type { Model } from "../core/model.js";
import { readCharge } from "../core/money.js";
import type { Usage } from "../core/usage.js";
import { countField, responseObject } from "./response-fields.js";

/** What names an answer. */
export interface AnswerName {
  /** With the prefix of its endpoint, such as `resp_`, and 32 hex digits. */
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  readonly model: Model;
  /** The name of the model in the request: its id or an alias. */
  readonly modelName: string;
}

const alwaysZero = countField("Always 0 here.");

export const openAiUsage = responseObject({
  prompt_tokens: countField("Tokens of the prompt, including cached tokens, images and sound."),
  completion_tokens: countField("Tokens of the text and tool calls of all choices, without reasoning."),
  total_tokens: countField("Sum of prompt, completion and reasoning tokens."),
  prompt_tokens_details: responseObject({
    text_tokens: countField("Tokens of the prompt's text."),
    audio_tokens: countField("Tokens of the prompt's sound."),
    image_tokens: countField("Tokens of the prompt's images."),
    cached_tokens: countField("Tokens of the prompt that were read from the cache."),
  }),
  completion_tokens_details: responseObject({
    reasoning_tokens: countField("Tokens of reasoning; not included in `completion_tokens`."),
    audio_tokens: alwaysZero,
    accepted_prediction_tokens: alwaysZero,
    rejected_prediction_tokens: alwaysZero,
  }),
  num_sources_used: alwaysZero,
  cost_in_usd_ticks: countField("Cost of the answer; 1 USD = 10^10 ticks."),
}).meta({ id: "Usage", description: "Token counts of an answer, counted as xAI does." });

export type OpenAiUsage = z.infer<typeof openAiUsage>;

/** Encodes usage as xAI counts it: completion tokens exclude reasoning, the total includes both. */
export function encodeUsage(usage: Usage, model: Model): OpenAiUsage {
  const { audioTokens = 0 } = usage;
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.promptTokens + usage.completionTokens + usage.reasoningTokens,
    prompt_tokens_details: {
      text_tokens: usage.promptTokens - usage.imageTokens - audioTokens,
      audio_tokens: audioTokens,
      image_tokens: usage.imageTokens,
      cached_tokens: usage.cachedTokens,
    },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoningTokens,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
    num_sources_used: 0,
    cost_in_usd_ticks: readCharge(usage, model.manifest.prices),
  };
}
