/** Parses the request of POST /v1/complete into a GenerationRequest. Pure. */
import { noTools, type GenerationRequest } from "../../core/generation.js";
import { parseTopP } from "../request-fields.js";
import { validFields } from "../field-error.js";
import { completeRequestSchema } from "./schema.js";
import { parseTurns } from "./turns.js";

export interface CompleteRequest {
  readonly request: GenerationRequest;
  readonly stream: boolean;
}

/** Built-in stop sequence, so that the model does not generate the human's next turn. */
const nextTurn = "\n\nHuman:";

/**
 * Parses a request body. The turns of the prompt become the messages of a conversation, to which the model's chat template is
 * applied.
 * @throws HearthError that names the field: `invalid_field` if it is missing or has the wrong type, `invalid_value` if its value
 * is out of range.
 */
export function parseCompleteRequest(body: unknown): CompleteRequest {
  const fields = validFields(completeRequestSchema, body);
  const { messages, prefill } = parseTurns(fields.prompt);
  const topK = fields.top_k ?? undefined;
  const request: GenerationRequest = {
    model: fields.model,
    messages,
    ...(prefill === "" ? {} : { prefill }),
    tools: [],
    toolChoice: noTools,
    format: { type: "text" },
    // The response format has no field for reasoning.
    reasoningEffort: "none",
    sampling: {
      temperature: fields.temperature ?? undefined,
      topP: parseTopP(fields.top_p),
      topK: topK === undefined || topK > 0 ? topK : null,
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
