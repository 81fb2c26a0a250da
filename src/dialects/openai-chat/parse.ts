/** Parses the request of POST /v1/chat/completions into a GenerationRequest. Pure. */
import type { AnswerFormat, GenerationRequest } from "../../core/generation.js";
import { HearthError } from "../../core/errors.js";
import { invalidValue, validFields } from "../field-error.js";
import { parseReasoningEffort } from "../openai-effort.js";
import { parseSampling, parseStops } from "../openai-sampling.js";
import { labelsOf } from "../run-labels.js";
import { withSchemaTexts } from "../schema-texts.js";
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
  /** What is stored beside the answer, as JSON texts; null: nothing is stored. */
  readonly stored: { readonly metadata: string; readonly messages: string } | null;
  /** Names of the tools whose calls have a text as input. */
  readonly textTools: ReadonlySet<string>;
}

/**
 * Parses a request body.
 * @param bodyText the JSON text of the body if it may have numbers that JSON.parse rounds; the schemas keep them.
 * @throws HearthError that names the field: `invalid_field` if it is missing or has the wrong type, `invalid_value` if its value
 * is out of range or not supported.
 */
export function parseChatRequest(body: unknown, bodyText: string | null = null): ChatRequest {
  const fields = validFields(chatRequestSchema, body);
  rejectUnsupportedFields(fields);
  const stream = fields.stream ?? false;
  if (!stream && fields.stream_options != null)
    throw invalidValue("stream_options", "is only allowed together with stream: true");
  const deferred = fields.deferred ?? false;
  if (deferred && stream) throw invalidValue("deferred", "is not allowed together with stream: true");
  const { schemaPaths, textTools, warnings, ...tools } = parseTools(fields);
  const { format, formatPath } = parseFormat(fields.response_format);
  const request: GenerationRequest = {
    model: fields.model,
    messages: parseMessages(fields.messages),
    ...tools,
    format,
    schemaPaths: { format: formatPath, tools: schemaPaths },
    reasoningEffort: parseReasoningEffort(fields.reasoning_effort),
    sampling: parseSampling(fields),
    topLogprobs: parseTopLogprobs(fields),
    choices: fields.n ?? 1,
    stop: parseStops(fields),
    maxTokens: fields.max_completion_tokens ?? fields.max_tokens ?? null,
    maxTokensExcludesReasoning: fields.max_completion_tokens != null || fields.max_tokens == null,
    deterministic: fields.deterministic ?? false,
    ...(fields.store === false ? { ephemeral: true } : {}),
    ...(fields.prompt_cache_key == null ? {} : { cacheKey: fields.prompt_cache_key }),
    ...(warnings.length === 0 ? {} : { warnings }),
    ...labelsOf(fields),
  };
  const includeUsage = fields.stream_options?.include_usage ?? false;
  return {
    request: withSchemaTexts(request, bodyText),
    stream,
    deferred,
    includeUsage,
    textTools,
    callsAsFunction: isEmpty(fields.tools) && !isEmpty(fields.functions),
    stored:
      fields.store === true
        ? { metadata: JSON.stringify(fields.metadata ?? {}), messages: JSON.stringify(fields.messages) }
        : null,
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

/**
 * Reads the format of the answer's text, and the path of its schema. Besides OpenAI's position of the schema, which is inside
 * `json_schema`, clients write it directly into the format.
 */
function parseFormat(wire: ChatRequestBody["response_format"]): {
  readonly format: AnswerFormat;
  readonly formatPath: string;
} {
  const inner = "response_format.json_schema.schema";
  if (wire == null || wire.type === "text") return { format: { type: "text" }, formatPath: inner };
  const named = wire.type === "json_schema" ? wire.json_schema : undefined;
  if (wire.type === "json_schema" && named == null && wire.schema == null)
    throw new HearthError("invalid_field", "response_format.json_schema: is required", {
      param: "response_format.json_schema",
    });
  const outer = "response_format.schema";
  if (named?.schema != null && wire.schema != null)
    throw invalidValue(outer, "is not allowed together with json_schema.schema");
  const schema = named?.schema ?? wire.schema;
  if (schema == null) return { format: { type: "json-object" }, formatPath: inner };
  return {
    format: { type: "json-schema", schema },
    formatPath: wire.schema == null ? inner : outer,
  };
}
