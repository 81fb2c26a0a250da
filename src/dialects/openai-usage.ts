/** The usage object of OpenAI's and xAI's completion answers. Pure. */
import type { Model } from "../core/model.js";
import { costOf } from "../core/money.js";
import type { Usage } from "../core/usage.js";

export interface OpenAiUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details: {
    readonly text_tokens: number;
    readonly audio_tokens: number;
    readonly image_tokens: number;
    readonly cached_tokens: number;
  };
  readonly completion_tokens_details: {
    readonly reasoning_tokens: number;
    readonly audio_tokens: number;
    readonly accepted_prediction_tokens: number;
    readonly rejected_prediction_tokens: number;
  };
  readonly num_sources_used: number;
  /** 1 USD = 10^10 ticks. */
  readonly cost_in_usd_ticks: number;
}

/** xAI's counting: reasoning stands beside the completion, and the total holds both. */
export function encodeUsage(usage: Usage, model: Model): OpenAiUsage {
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.promptTokens + usage.completionTokens + usage.reasoningTokens,
    prompt_tokens_details: {
      text_tokens: usage.promptTokens - usage.imageTokens,
      audio_tokens: 0,
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
    cost_in_usd_ticks: costOf(usage, model.manifest.prices),
  };
}
