/** Parses the thinking settings of a messages request. Pure. */
import { invalidValue } from "../field-error.js";
import { parseReasoningEffort } from "../generation/effort.js";
import { parseReasoning } from "../generation/reasoning-fields.js";
import { parseMaxTokens } from "../generation/sampling.js";
import type { MessagesRequestBody } from "./schema.js";

/** How the response contains the reasoning: in full, as blocks without text, or not at all. */
export type ThinkingDisplay = "shown" | "omitted" | "hidden";

type Reasoning = ReturnType<typeof parseReasoning>;

interface Thinking {
  readonly reasoning: Reasoning;
  readonly display: ThinkingDisplay;
}

/**
 * Reads `thinking` and the effort, then the fields of other servers. Without any of them, and where one says so, the model does not reason.
 * @throws HearthError `invalid_value` if the budget leaves no tokens of `max_tokens` for the answer.
 */
export function parseThinking(fields: MessagesRequestBody): Thinking {
  const { thinking } = fields;
  const other = parseReasoning({ ...fields, thinking: null }, thinking?.type === "disabled" ? false : null);
  const { reasoningTokensMax, templateVariables } = other;
  const isOff = thinking?.type === "disabled" || other.reasoningEffort === "none";
  const isStated = other.reasoningEffort !== "default" || reasoningTokensMax !== undefined;
  if (isOff || (thinking == null && !isStated))
    return { reasoning: { reasoningEffort: "none", templateVariables }, display: "hidden" };
  if (thinking == null) return { reasoning: other, display: "shown" };
  const display = thinking.display === "omitted" ? "omitted" : "shown";
  if (thinking.type === "adaptive") {
    const own = parseReasoningEffort(fields.output_config?.effort);
    const reasoningEffort = own === "default" ? other.reasoningEffort : own;
    return { reasoning: { ...other, reasoningEffort }, display };
  }
  const maxTokens = parseMaxTokens(fields.max_tokens);
  const { budget_tokens: budget } = thinking;
  if (maxTokens !== null && budget >= maxTokens)
    throw invalidValue("thinking.budget_tokens", "must be less than max_tokens");
  return { reasoning: { reasoningEffort: "high", reasoningTokensMax: budget, templateVariables }, display };
}
