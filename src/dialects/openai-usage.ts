/** The usage object of OpenAI's and xAI's completion answers. Pure. */
import type { z } from "zod";
import type { Model } from "../core/model.js";
import { costOf } from "../core/money.js";
import type { Usage } from "../core/usage.js";
import { count, shape } from "./shape.js";

const nothingOf = count("Always 0 here.");

export const openAiUsage = shape({
  prompt_tokens: count("Tokens of the prompt, cached ones and images included."),
  completion_tokens: count(
    "Tokens of text and tool calls, those of all choices together, without reasoning.",
  ),
  total_tokens: count("Prompt, completion and reasoning."),
  prompt_tokens_details: shape({
    text_tokens: count("Tokens of the prompt's text."),
    audio_tokens: nothingOf,
    image_tokens: count("Tokens of the prompt's images."),
    cached_tokens: count("Tokens of the prompt that had been evaluated before."),
  }),
  completion_tokens_details: shape({
    reasoning_tokens: count("Tokens of reasoning; `completion_tokens` holds none of them."),
    audio_tokens: nothingOf,
    accepted_prediction_tokens: nothingOf,
    rejected_prediction_tokens: nothingOf,
  }),
  num_sources_used: nothingOf,
  cost_in_usd_ticks: count("What the answer cost; 1 USD = 10^10 ticks."),
}).meta({ id: "Usage", description: "The tokens of an answer, counted as xAI counts them." });

export type OpenAiUsage = z.infer<typeof openAiUsage>;

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
