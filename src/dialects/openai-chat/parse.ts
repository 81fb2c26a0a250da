/** Parses the request of POST /v1/chat/completions into a GenerationRequest. Pure. */
import type {
  AnswerFormat,
  ConversationRequest,
  GenerationRequest,
  Message,
  MessageContent,
  ToolCall,
} from "../../core/generation.js";
import { HearthError } from "../../core/errors.js";
import { toArgumentsText } from "../call-fields.js";
import { textArguments } from "../client-tools/text-input.js";
import { invalidValue, validFields, unsupported } from "../field-error.js";
import { chooseImageDetail, joinParts, type MessageContentPart } from "../message-content.js";
import { parseEngineFields } from "../generation/engine-fields.js";
import { parseMaxTokens, parseSampling, parseStops } from "../generation/sampling.js";
import { parseContinuation, splitContinued } from "../generation/continuation.js";
import { chooseFormat, type StatedFormat } from "../generation/format-fields.js";
import { parseReasoning } from "../generation/reasoning-fields.js";
import { readRunLabels } from "../run-labels.js";
import { withSchemaTexts } from "../schema-texts.js";
import { readSoundPart } from "../sound-part.js";
import { readTextFile } from "../text-file.js";
import { wellFormed } from "../well-formed.js";
import { chatRequestSchema, type ChatRequestBody, type ChatMessageBody } from "./schema.js";
import { parseChatTools } from "./tools.js";

type ContentBody = ChatMessageBody["content"];

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
  /** Whether a stream has the arguments of calls in pieces. */
  readonly streamsCalls: boolean;
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
  const { format, formatPath } = chooseFormat(parseFormat(fields.response_format), "response_format", fields);
  const maxTokens = parseMaxTokens(fields.max_completion_tokens ?? fields.max_tokens);
  const engine = parseEngineFields(fields, maxTokens);
  const request: GenerationRequest = {
    model: fields.model,
    ...parseConversation(fields, format),
    ...tools,
    format,
    schemaPaths: { format: formatPath, tools: schemaPaths },
    sampling: parseSampling(fields),
    topLogprobs: parseTopLogprobs(fields),
    choices: fields.n ?? 1,
    stop: parseStops(fields),
    maxTokens,
    maxTokensExcludesReasoning: fields.max_completion_tokens != null || fields.max_tokens == null,
    deterministic: fields.deterministic ?? false,
    ephemeral: fields.store === false,
    cacheKey: fields.prompt_cache_key ?? undefined,
    ...engine,
    warnings: [...warnings, ...engine.warnings],
    labels: readRunLabels(fields),
  };
  const includeUsage = fields.stream_options?.include_usage ?? false;
  return {
    request: withSchemaTexts(request, bodyText),
    stream,
    deferred,
    includeUsage,
    textTools,
    streamsCalls: fields.tool_stream ?? false,
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
function parseFormat(wire: ChatRequestBody["response_format"]): StatedFormat {
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

/** Reads the messages, and whether the last one is the beginning of the answer, which does not reason then. */
function parseConversation(fields: ChatRequestBody, format: AnswerFormat): ConversationRequest {
  const messages = parseMessages(fields.messages);
  const reasoning = parseReasoning(fields);
  const last = fields.messages.at(-1);
  const isPrefix = last?.role === "assistant" && last.prefix === true;
  if (!parseContinuation(fields, isPrefix)) return { messages, ...reasoning };
  const param = `messages.${messages.length - 1}`;
  return { ...reasoning, ...splitContinued(messages, format, param), reasoningEffort: "none" };
}

/**
 * Parses the messages in order. System messages may occur anywhere.
 * @throws HearthError `invalid_value` that names an unsupported message or part.
 */
function parseMessages(messages: readonly ChatMessageBody[]): readonly Message[] {
  return matchResults(messages.map((message, index) => parseMessage(message, `messages.${index}`)));
}

/** A result without an id belongs to the first call that has none yet. */
function matchResults(messages: readonly Message[]): readonly Message[] {
  if (messages.every(({ role, toolCallId, name }) => role !== "tool" || (toolCallId ?? name) !== undefined))
    return messages;
  let open: readonly string[] = [];
  return messages.map((message) => {
    open = [...open, ...(message.toolCalls ?? []).map(({ id }) => id)];
    if (message.role !== "tool") return message;
    const id = message.toolCallId ?? (message.name === undefined ? open[0] : undefined);
    open = open.filter((each) => each !== id);
    return id === undefined ? message : { ...message, toolCallId: id };
  });
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
  const calls = parseToolCalls(message, param);
  const { content: text } = readContent(message.content, param, true);
  const reasoning = wellFormed(readReasoning(message));
  return {
    role: "assistant",
    content: text === "" ? wellFormed(message.refusal ?? "") : text,
    name: toName(message.name),
    reasoning: reasoning || undefined,
    toolCalls: calls.length === 0 ? undefined : calls,
  };
}

/** Returns the reasoning of an earlier answer, which servers and their clients call by different names. */
function readReasoning(message: AssistantMessageBody): string {
  const { reasoning_content: text, reasoning, reasoning_details: details, content } = message;
  const parts = typeof content === "object" ? (content ?? []) : [];
  const thinking = parts.flatMap((part) => (part.type === "thinking" ? [part.thinking] : [])).flat();
  const texts = [
    text,
    reasoning,
    (details ?? []).map((part) => part.text ?? part.summary ?? "").join(""),
    thinking.map((part) => (typeof part === "string" ? part : (part.text ?? ""))).join(""),
  ];
  return texts.find((each) => each != null && each !== "") ?? "";
}

/** The older `function_call` has no id, so its name is used as the id. */
function parseToolCalls(message: AssistantMessageBody, param: string): readonly ToolCall[] {
  const { tool_calls: calls, function_call: call } = message;
  if (call != null) return [toolCall(call.name, call)];
  return (calls ?? []).map((each, index) => {
    const id = each.id ?? `call_${`${param}.${index}`.replace(/\D+/g, "_")}`;
    if (each.type !== "custom") return toolCall(id, each.function);
    const { name, input } = each.custom;
    return toolCall(id, { name, arguments: textArguments(wellFormed(input)) });
  });
}

type CalledFunction = NonNullable<AssistantMessageBody["function_call"]>;

function toolCall(id: string, { name, arguments: given }: CalledFunction): ToolCall {
  return { id: wellFormed(id), name: wellFormed(name), arguments: wellFormed(toArgumentsText(given)) };
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
  if (part.type === "text" || part.type === "input_text" || part.type === "output_text") return part.text;
  // It is read with the message.
  if (part.type === "thinking" && isAssistant) return "";
  if (part.type === "refusal" && isAssistant) return part.refusal;
  if ((part.type === "image_url" || part.type === "input_image") && !isAssistant) {
    const { image_url: image } = part;
    const place = `${param}.image_url`;
    if (typeof image === "string")
      return { url: image, detail: chooseImageDetail(part.detail), param: place };
    return { url: image.url, detail: chooseImageDetail(image.detail, part.detail), param: `${place}.url` };
  }
  if (part.type === "file" && part.file?.file_data != null && !isAssistant) {
    const { file_data: data, filename } = part.file;
    return readTextFile({ data, filename }, `${param}.file.file_data`);
  }
  if (part.type === "input_audio" && !isAssistant) return readSoundPart(part, param);
  throw unsupported(param, `content parts of the type '${part.type}' are`);
}

// Rejects fields of a chat request that are not supported and cannot be ignored, because they would change the meaning of the answer.

/** @throws HearthError `invalid_value` with the code `unsupported_parameter`, naming the first such field. */
function rejectUnsupportedChatFields(fields: ChatRequestBody): void {
  for (const [field, isRequested, what] of rules(fields)) if (isRequested) throw unsupported(field, what);
}

type Rule = readonly [field: keyof ChatRequestBody, isRequested: boolean, what: string];

function rules(fields: ChatRequestBody): readonly Rule[] {
  return [
    ["tools", fields.tools?.some(({ type }) => type === "live_search") === true, "live search is"],
    ["search_parameters", fields.search_parameters?.mode === "on", "live search is"],
    ["modalities", fields.modalities?.includes("audio") === true, "audio output is"],
  ];
}
