/** POST /v1/chat/completions, from wire JSON to the house's own request. Pure. */
import type { AnswerFormat, GenerationRequest } from "../../core/generation.js";
import { fieldError, invalidValue } from "../field-error.js";
import { parseEffort } from "../openai-effort.js";
import { parseSampling, parseStops } from "../openai-sampling.js";
import { parseMessages } from "./messages.js";
import { chatRequestSchema, type ChatRequestBody } from "./schema.js";
import { parseTools } from "./tools.js";
import { refuseUnserved } from "./unserved.js";

export interface ChatRequest {
  readonly request: GenerationRequest;
  readonly stream: boolean;
  /** Nobody waits for the answer: it is fetched later. */
  readonly deferred: boolean;
  /** Whether a stream carries a usage chunk at its end. */
  readonly includeUsage: boolean;
  /** The client gave its tools as `functions`, and reads its call as `function_call`. */
  readonly callsAsFunction: boolean;
}

/**
 * Reads a request body.
 * @throws HearthError `invalid_field` for what is missing or ill-typed, `invalid_value` for what is out of range or not
 * served, each naming the field.
 */
export function parseChatRequest(body: unknown): ChatRequest {
  const parsed = chatRequestSchema.safeParse(body);
  if (!parsed.success) throw fieldError(parsed.error, body);
  const fields = parsed.data;
  refuseUnserved(fields);
  const stream = fields.stream ?? false;
  if (!stream && fields.stream_options != null)
    throw invalidValue("stream_options", "is only allowed together with stream: true");
  const deferred = fields.deferred ?? false;
  if (deferred && stream) throw invalidValue("deferred", "is not allowed together with stream: true");
  const request: GenerationRequest = {
    model: fields.model,
    messages: parseMessages(fields.messages),
    ...parseTools(fields),
    format: format(fields.response_format),
    reasoningEffort: parseEffort(fields.reasoning_effort),
    sampling: parseSampling(fields),
    topLogprobs: topLogprobs(fields),
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

function topLogprobs({ logprobs, top_logprobs: top }: ChatRequestBody): number | null {
  if (logprobs === true) return top ?? 0;
  if ((top ?? 0) > 0) throw invalidValue("top_logprobs", "is only allowed together with logprobs: true");
  return null;
}

function format(wire: ChatRequestBody["response_format"]): AnswerFormat {
  if (wire == null || wire.type === "text") return { type: "text" };
  if (wire.type === "json_object") return { type: "json-object" };
  const { schema } = wire.json_schema;
  return schema == null ? { type: "json-object" } : { type: "json-schema", schema };
}
