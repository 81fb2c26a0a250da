/** POST /v1/complete, from wire JSON to the house's own request. Pure. */
import { noTools, type GenerationRequest } from "../../core/generation.js";
import { topPMin } from "../bounded.js";
import { fieldError } from "../field-error.js";
import { completeRequestSchema } from "./schema.js";
import { parseTurns } from "./turns.js";

export interface CompleteRequest {
  readonly request: GenerationRequest;
  readonly stream: boolean;
}

/** The text that ends every answer: the model must not write the human's turns as well. */
const nextTurn = "\n\nHuman:";

/**
 * Reads a request body. The turns of the prompt become a conversation, written as the model's own template has it.
 * @throws HearthError `invalid_field` for what is missing or ill-typed, `invalid_value` for what is out of range, each naming
 * the field.
 */
export function parseCompleteRequest(body: unknown): CompleteRequest {
  const parsed = completeRequestSchema.safeParse(body);
  if (!parsed.success) throw fieldError(parsed.error, body);
  const fields = parsed.data;
  const { messages, prefill } = parseTurns(fields.prompt);
  const topK = fields.top_k ?? 0;
  const request: GenerationRequest = {
    model: fields.model,
    messages,
    ...(prefill === "" ? {} : { prefill }),
    tools: [],
    toolChoice: noTools,
    format: { type: "text" },
    // The answer has no place for reasoning.
    reasoningEffort: "none",
    sampling: {
      temperature: fields.temperature ?? 1,
      topP: Math.max(fields.top_p ?? 1, topPMin),
      seed: null,
      frequencyPenalty: 0,
      presencePenalty: 0,
      topK: topK <= 0 ? null : topK,
      minP: 0,
      logitBias: {},
    },
    topLogprobs: null,
    choices: 1,
    stop: [...new Set([nextTurn, ...(fields.stop_sequences ?? [])])],
    maxTokens: fields.max_tokens_to_sample,
    maxTokensExcludesReasoning: false,
    deterministic: false,
  };
  return { request, stream: fields.stream ?? false };
}
