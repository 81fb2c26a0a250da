/** Parses the request of POST /v1/chat/completions into a GenerationRequest. Pure. */
import type { AnswerFormat, GenerationRequest } from "../../core/generation.js";
import { fieldError, invalidValue } from "../field-error.js";
import { parseReasoningEffort } from "../openai-effort.js";
import { parseSampling, parseStops } from "../openai-sampling.js";
import { parseMessages } from "./messages.js";
import { chatRequestSchema, type ChatRequestBody } from "./schema.js";
import { parseTools } from "./tools.js";
import { rejectUnsupportedFields } from "./unsupported-fields.js";

export interface ChatRequest {
  readonly request: GenerationRequest;
  readonly stream: boolean;
  /** Whether the client fetches the answer later. */
  readonly deferred: boolean;
  /** Whether a stream ends with a usage chunk. */
  readonly includeUsage: boolean;
  /** Whether the client sent its tools as `functions` and therefore expects a call as `function_call`. */
  readonly callsAsFunction: boolean;
}

/**
 * Parses a request body.
 * @throws HearthError that names the field: `invalid_field` if it is missing or has the wrong type, `invalid_value` if its value
 * is out of range or not supported.
 */
export function parseChatRequest(body: unknown): ChatRequest {
  const parsed = chatRequestSchema.safeParse(body);
  if (!parsed.success) throw fieldError(parsed.error, body);
  const fields = parsed.data;
  rejectUnsupportedFields(fields);
  const stream = fields.stream ?? false;
  if (!stream && fields.stream_options != null)
    throw invalidValue("stream_options", "is only allowed together with stream: true");
  const deferred = fields.deferred ?? false;
  if (deferred && stream) throw invalidValue("deferred", "is not allowed together with stream: true");
  const request: GenerationRequest = {
    model: fields.model,
    messages: parseMessages(fields.messages),
    ...parseTools(fields),
    format: parseFormat(fields.response_format),
    reasoningEffort: parseReasoningEffort(fields.reasoning_effort),
    sampling: parseSampling(fields),
    topLogprobs: parseTopLogprobs(fields),
    choices: fields.n ?? 1,
    stop: parseStops(fields),
    maxTokens: fields.max_completion_tokens ?? fields.max_tokens ?? null,
    maxTokensExcludesReasoning: true,
    deterministic: fields.deterministic ?? false,
  };
  const includeUsage = fields.stream_options?.include_usage ?? false;
  return {
    request,
    stream,
    deferred,
    includeUsage,
    callsAsFunction: isEmpty(fields.tools) && !isEmpty(fields.functions),
  };
}

function isEmpty(items: readonly unknown[] | null | undefined): boolean {
  return items == null || items.length === 0;
}

function parseTopLogprobs({ logprobs, top_logprobs: top }: ChatRequestBody): number | null {
  if (logprobs === true) return top ?? 0;
  if ((top ?? 0) > 0) throw invalidValue("top_logprobs", "is only allowed together with logprobs: true");
  return null;
}

function parseFormat(wire: ChatRequestBody["response_format"]): AnswerFormat {
  if (wire == null || wire.type === "text") return { type: "text" };
  if (wire.type === "json_object") return { type: "json-object" };
  const { schema } = wire.json_schema;
  return schema == null ? { type: "json-object" } : { type: "json-schema", schema };
}
