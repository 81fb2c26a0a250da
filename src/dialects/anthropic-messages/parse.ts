/** POST /v1/messages and /v1/messages/count_tokens, from wire JSON to the house's own request. Pure. */
import type { AnswerFormat, GenerationRequest } from "../../core/generation.js";
import { topPMin } from "../bounded.js";
import { fieldError, invalidValue, unsupported } from "../field-error.js";
import { messagesRequestSchema, type MessagesRequestBody } from "./schema.js";
import { parseThinking, type ThinkingDisplay } from "./thinking.js";
import { parseTools } from "./tools.js";
import { parseTurns } from "./turns.js";

export interface MessagesRequest {
  readonly request: GenerationRequest;
  readonly stream: boolean;
  readonly thinking: ThinkingDisplay;
}

/**
 * Reads a request body; where tokens are only counted, `max_tokens` is left out and nothing else differs.
 * @throws HearthError `invalid_field` for what is missing or ill-typed, `invalid_value` for what is out of range or not
 * served, each naming the field.
 */
export function parseMessagesRequest(body: unknown): MessagesRequest {
  const parsed = messagesRequestSchema.safeParse(body);
  if (!parsed.success) throw fieldError(parsed.error, body);
  const fields = parsed.data;
  if ((fields.mcp_servers ?? []).length > 0) throw unsupported("mcp_servers", "MCP servers are");
  const { messages, prefill } = parseTurns(fields);
  const { reasoningEffort, budget, display } = parseThinking(fields);
  const { format, place } = readFormat(fields);
  if (prefill !== null && reasoningEffort !== "none")
    throw invalidValue(prefill.param, "is an answer to be continued, which cannot be thought about any more");
  if (prefill !== null && format.type !== "text")
    throw invalidValue(prefill.param, `is an answer to be continued, which ${place} cannot hold to a schema`);
  const asked = parseTools(fields);
  const request: GenerationRequest = {
    model: fields.model,
    messages,
    ...(prefill === null ? {} : { prefill: prefill.text }),
    ...asked,
    format,
    schemaPlaces: {
      format: `${place}.schema`,
      tools: asked.tools.map((_, at) => `tools.${at}.input_schema`),
    },
    reasoningEffort,
    ...budget,
    sampling: {
      temperature: fields.temperature ?? 1,
      topP: Math.max(fields.top_p ?? 1, topPMin),
      seed: null,
      frequencyPenalty: 0,
      presencePenalty: 0,
      topK: fields.top_k === 0 ? null : (fields.top_k ?? null),
      minP: 0,
      logitBias: {},
    },
    topLogprobs: null,
    choices: 1,
    stop: fields.stop_sequences ?? [],
    maxTokens: fields.max_tokens ?? null,
    maxTokensExcludesReasoning: false,
    deterministic: false,
  };
  return { request, stream: fields.stream ?? false, thinking: display };
}

/** The format of the answer's text, and the field that asks for it. */
function readFormat({ output_config: config, output_format: older }: MessagesRequestBody): {
  readonly format: AnswerFormat;
  readonly place: string;
} {
  const asked = config?.format ?? older;
  const place = config?.format == null && older != null ? "output_format" : "output_config.format";
  return { format: asked == null ? { type: "text" } : { type: "json-schema", schema: asked.schema }, place };
}
