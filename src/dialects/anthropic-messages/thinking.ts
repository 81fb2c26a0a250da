/** Parses the thinking settings of a messages request. Pure. */
import type { ReasoningEffort } from "../../core/generation.js";
import { invalidValue } from "../field-error.js";
import { parseMaxTokens } from "../generation/sampling.js";
import type { MessagesRequestBody } from "./schema.js";

/** How the response contains the reasoning: in full, as blocks without text, or not at all. */
export type ThinkingDisplay = "shown" | "omitted" | "hidden";

interface Thinking {
  readonly reasoningEffort: ReasoningEffort;
  /** Maximum reasoning tokens, if the request has a budget. */
  readonly budget: { readonly reasoningTokensMax?: number };
  readonly display: ThinkingDisplay;
}

/**
 * Reads `thinking` and the effort. Without `thinking`, the model does not reason.
 * @throws HearthError `invalid_value` if the budget leaves no tokens of `max_tokens` for the answer.
 */
export function parseThinking(fields: MessagesRequestBody): Thinking {
  const { thinking } = fields;
  const maxTokens = parseMaxTokens(fields.max_tokens);
  if (thinking == null || thinking.type === "disabled")
    return { reasoningEffort: "none", budget: {}, display: "hidden" };
  const display = thinking.display === "omitted" ? "omitted" : "shown";
  if (thinking.type === "adaptive") return { reasoningEffort: effort(fields), budget: {}, display };
  const { budget_tokens: reasoningTokensMax } = thinking;
  if (maxTokens !== null && reasoningTokensMax >= maxTokens)
    throw invalidValue("thinking.budget_tokens", "must be less than max_tokens");
  return { reasoningEffort: "high", budget: { reasoningTokensMax }, display };
}

/** With adaptive thinking, the model decides unless the request names an effort. */
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
