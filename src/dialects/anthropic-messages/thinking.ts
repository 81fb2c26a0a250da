/** What a messages request says of thinking, as the house says it. Pure. */
import type { ReasoningEffort } from "../../core/generation.js";
import { invalidValue } from "../field-error.js";
import type { MessagesRequestBody } from "./schema.js";

/** How the answer tells of its reasoning: in full, as blocks without text, or not at all. */
export type ThinkingDisplay = "shown" | "omitted" | "hidden";

export interface Thinking {
  readonly reasoningEffort: ReasoningEffort;
  /** How long it may think, where a budget was given. */
  readonly budget: { readonly reasoningTokensMax?: number };
  readonly display: ThinkingDisplay;
}

/**
 * Reads `thinking` and the effort; without it nothing is thought.
 * @throws HearthError `invalid_value` for a budget that leaves nothing of `max_tokens` for the answer.
 */
export function parseThinking(fields: MessagesRequestBody): Thinking {
  const { thinking, max_tokens: maxTokens } = fields;
  if (thinking == null || thinking.type === "disabled")
    return { reasoningEffort: "none", budget: {}, display: "hidden" };
  const display = thinking.display === "omitted" ? "omitted" : "shown";
  if (thinking.type === "adaptive") return { reasoningEffort: effort(fields), budget: {}, display };
  const { budget_tokens: reasoningTokensMax } = thinking;
  if (maxTokens != null && reasoningTokensMax >= maxTokens)
    throw invalidValue("thinking.budget_tokens", "must be less than max_tokens");
  return { reasoningEffort: "high", budget: { reasoningTokensMax }, display };
}

/** An adaptive model thinks as it likes, unless an effort is named. */
function effort({ output_config: config }: MessagesRequestBody): ReasoningEffort {
  switch (config?.effort) {
    case null:
    case undefined:
      return "default";
    case "xhigh":
    case "max":
      return "high";
    case "low":
    case "medium":
    case "high":
      return config.effort;
  }
}
