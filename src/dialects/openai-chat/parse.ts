/** Parses the request of POST /v1/chat/completions into a GenerationRequest. Pure. */
import type { AnswerFormat, GenerationRequest, Message, ToolCall } from "../../core/generation.js";
import { HearthError } from "../../core/errors.js";
import { textArguments } from "../client-tools/text-input.js";
import { invalidValue, validFields, unsupported } from "../field-error.js";
import {
  chooseImageDetail,
  joinParts,
  type MessageContent,
  type MessageContentPart,
} from "../message-content.js";
import { parseReasoningEffort } from "../openai-effort.js";
import { parseSampling, parseStops } from "../openai-sampling.js";
import { readRunLabels } from "../run-labels.js";
import { withSchemaTexts } from "../schema-texts.js";
import { readTextFile } from "../text-file.js";
import { wellFormed } from "../well-formed.js";
import { chatRequestSchema, type ChatRequestBody, type ChatMessageBody, type ContentBody } from "./schema.js";
import { parseChatTools } from "./tools.js";
import { rejectUnsupportedChatFields } from "./unsupported-fields.js";

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
  rejectUnsupportedChatFields(fields);
  const stream = fields.stream ?? false;
  if (!stream && fields.stream_options != null)
    throw invalidValue("stream_options", "is only allowed together with stream: true");
  const deferred = fields.deferred ?? false;
  if (deferred && stream) throw invalidValue("deferred", "is not allowed together with stream: true");
  const { schemaPaths, textTools, warnings, ...tools } = parseChatTools(fields);
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
    ephemeral: fields.store === false,
    cacheKey: fields.prompt_cache_key ?? undefined,
    warnings,
    labels: readRunLabels(fields),
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

/**
 * Parses the messages in order. System messages may occur anywhere.
 * @throws HearthError `invalid_value` that names an unsupported message or part.
 */
function parseMessages(messages: readonly ChatMessageBody[]): readonly Message[] {
  return messages.map((message, index) => parseMessage(message, `messages.${index}`));
}

function parseMessage(message: ChatMessageBody, param: string): Message {
  switch (message.role) {
    case "system":
    case "developer":
      return { role: "system", ...readContent(message.content, param), name: toName(message.name) };
    case "user":
      return { role: "user", ...readContent(message.content, param), name: toName(message.name) };
    case "assistant":
      return parseAssistantMessage(message, param);
    case "tool": {
      const { tool_call_id: id } = message;
      const toolCallId = id == null ? undefined : wellFormed(id);
      return { role: "tool", ...readContent(message.content, param), toolCallId };
    }
    case "function":
      return { role: "tool", ...readContent(message.content, param), name: toName(message.name) };
  }
}

type AssistantMessageBody = Extract<ChatMessageBody, { role: "assistant" }>;

function parseAssistantMessage(message: AssistantMessageBody, param: string): Message {
  const calls = parseToolCalls(message);
  const { content: text } = readContent(message.content, param, true);
  const reasoning = wellFormed(message.reasoning_content ?? "");
  return {
    role: "assistant",
    content: text === "" ? wellFormed(message.refusal ?? "") : text,
    name: toName(message.name),
    reasoning: reasoning || undefined,
    toolCalls: calls.length === 0 ? undefined : calls,
  };
}

/** The older `function_call` has no id, so its name is used as the id. */
function parseToolCalls(message: AssistantMessageBody): readonly ToolCall[] {
  const { tool_calls: calls, function_call: call } = message;
  if (call != null) return [toolCall(call.name, call)];
  return (calls ?? []).map((each) => {
    if (each.type !== "custom") return toolCall(each.id, each.function);
    const { name, input } = each.custom;
    return toolCall(each.id, { name, arguments: textArguments(wellFormed(input)) });
  });
}

function toolCall(id: string, called: { readonly name: string; readonly arguments: string }): ToolCall {
  return {
    id: wellFormed(id),
    name: wellFormed(called.name),
    arguments: wellFormed(called.arguments),
  };
}

function toName(name: string | null | undefined): string | undefined {
  return wellFormed(name ?? "") || undefined;
}

/** Parts are joined without a separator. */
function readContent(content: ContentBody, param: string, isAssistant = false): MessageContent {
  if (content == null) return { content: "" };
  if (typeof content === "string") return { content: wellFormed(content) };
  return joinParts(content.map((part, index) => readPart(part, `${param}.content.${index}`, isAssistant)));
}

type PartBody = Exclude<NonNullable<ContentBody>, string>[number];

function readPart(part: PartBody, param: string, isAssistant: boolean): MessageContentPart {
  if (part.type === "text") return part.text;
  if (part.type === "refusal" && isAssistant) return part.refusal;
  if (part.type === "image_url" && !isAssistant) {
    const { url, detail } = part.image_url;
    return { url, detail: chooseImageDetail(detail, part.detail), param: `${param}.image_url.url` };
  }
  if (part.type === "file" && part.file?.file_data != null && !isAssistant) {
    const { file_data: data, filename } = part.file;
    return readTextFile({ data, filename }, `${param}.file.file_data`);
  }
  throw unsupported(param, `content parts of the type '${part.type}' are`);
}
