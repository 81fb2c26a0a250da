/** Parses the request of POST /api/chat into a GenerationRequest. Pure. */
import {
  noTools,
  type AnswerFormat,
  type ConversationRequest,
  type GenerationRequest,
  type Message,
  type MessageContent,
  type Tool,
  type ToolCall,
} from "../../../core/generation.js";
import { mayRoundNumbers, memberTexts } from "../../../core/json/member-texts.js";
import { toArgumentsText } from "../../call-fields.js";
import { invalidValue, validFields, unsupported } from "../../field-error.js";
import { joinParts, type MessageContentPart } from "../../message-content.js";
import { wellFormed } from "../../well-formed.js";
import { parseContinuation, splitContinued } from "../../generation/continuation.js";
import { parseReasoning } from "../../generation/reasoning-fields.js";
import { parseFormat, parseKeepAlive, parseLogprobs, imageUrl } from "../fields.js";
import { joinShared, parseOptions, type SharedFields } from "../options.js";
import type { OllamaRequest } from "../request.js";
import { withSchemaTexts } from "../../schema-texts.js";
import { toolParameters } from "../../tool-parameters.js";
import { ollamaChatRequestSchema, type OllamaChatBody } from "./schema.js";

type OllamaMessageBody = NonNullable<OllamaChatBody["messages"]>[number];

/**
 * Parses a request body.
 * @param bodyText the JSON text of the body if it may have numbers that JSON.parse rounds; schemas and arguments keep them.
 * @throws HearthError that names the field.
 */
export function parseOllamaChat(body: unknown, bodyText: string | null = null): OllamaRequest {
  const fields = validFields(ollamaChatRequestSchema, body);
  const { model } = fields;
  const rest = { model, stream: fields.stream ?? true, keepAliveMs: parseKeepAlive(fields.keep_alive) };
  const messages = parseMessages(fields.messages ?? [], bodyText);
  if (messages.length === 0) return { ...rest, request: null };
  const tools = parseTools(fields);
  const shared = joinShared(fields, fields.options);
  const { format, formatPath } = parseFormat(fields.format, shared);
  const continuing = continuation(messages, fields, { shared, format, hasTools: tools.length > 0 });
  const request: GenerationRequest = {
    model,
    ...continuing,
    tools,
    toolChoice: tools.length === 0 ? noTools : { mode: "auto", names: null, parallel: true },
    format,
    schemaPaths: { format: formatPath, tools: tools.map((_, at) => `tools.${at}.function.parameters`) },
    ...parseOptions(shared, fields.options),
    topLogprobs: parseLogprobs(fields),
    choices: 1,
    maxTokensExcludesReasoning: false,
    truncate: fields.truncate === true,
  };
  return { ...rest, request: withSchemaTexts(request, bodyText) };
}

/**
 * A text of the assistant at the end is the beginning of the answer, which does not reason then. With tools or a format, it is one only where
 * the request says so.
 */
function continuation(
  messages: readonly Message[],
  { think, messages: given }: OllamaChatBody,
  {
    shared: { fields, toPath },
    format,
    hasTools,
  }: { readonly shared: SharedFields; readonly format: AnswerFormat; readonly hasTools: boolean },
): ConversationRequest {
  const last = messages.at(-1);
  const reasoning = parseReasoning(fields, think);
  const { reasoningEffort } = reasoning;
  const isText = last?.role === "assistant" && last.content !== "" && last.toolCalls === undefined;
  const isPrefix = last?.role === "assistant" && given?.at(-1)?.prefix === true;
  const isAnswer = isPrefix || (isText && !hasTools && format.type === "text");
  if (!parseContinuation(fields, isAnswer, toPath)) return { messages, ...reasoning };
  const param = `messages.${messages.length - 1}`;
  if (reasoningEffort !== "default" && reasoningEffort !== "none")
    throw invalidValue(param, "cannot be continued with thinking");
  return { ...reasoning, ...splitContinued(messages, format, param), reasoningEffort: "none" };
}

function parseTools({ tools }: OllamaChatBody): readonly Tool[] {
  const seen = new Set<string>();
  return (tools ?? []).map(({ function: { name, description, parameters } }, index) => {
    if (seen.has(name)) throw invalidValue("tools", `must not name '${name.slice(0, 200)}' twice`);
    seen.add(name);
    const param = `tools.${index}.function.parameters`;
    const schema = toolParameters(parameters ?? { type: "object", properties: {} }, name, param);
    return { name, description: description ?? undefined, parameters: schema };
  });
}

/**
 * Parses the messages in order. Calls need no ids: a result without one belongs to the first call of its tool that has none yet.
 * @param bodyText the JSON text of the body if it may have numbers that JSON.parse rounds; the arguments of calls keep them.
 * @throws HearthError `invalid_value` for images outside of a user's or a tool's message.
 */
function parseMessages(messages: readonly OllamaMessageBody[], bodyText: string | null): readonly Message[] {
  const argumentsText = argumentTexts(messages, bodyText);
  /** Calls without a result. */
  let open: readonly ToolCall[] = [];
  return messages.map((message, index) => {
    const param = `messages.${index}`;
    if (message.role === "tool") {
      const result = readResult(message, param, open);
      open = open.filter(({ id }) => id !== result.toolCallId);
      return result;
    }
    if (message.role === "assistant") {
      const answer = readAnswer(message, param, argumentsText);
      open = [...open, ...(answer.toolCalls ?? [])];
      return answer;
    }
    if (message.role === "system") rejectImages(message, param);
    return { role: message.role, ...readContent(message, param) };
  });
}

function readContent({ content, images }: OllamaMessageBody, param: string): MessageContent {
  const parts = (images ?? []).map((image, index): MessageContentPart => ({
    url: imageUrl(image),
    detail: "auto",
    param: `${param}.images.${index}`,
  }));
  return joinParts([...parts, content ?? ""]);
}

function readResult(message: OllamaMessageBody, param: string, open: readonly ToolCall[]): Message {
  const name = message.tool_name ?? message.name ?? "";
  const call = open.find((each) => name === "" || each.name === name) ?? open[0];
  const id = message.tool_call_id ?? "";
  const toolCallId = id === "" ? call?.id : wellFormed(id);
  return {
    role: "tool",
    ...readContent(message, param),
    name: wellFormed(name) || undefined,
    toolCallId,
  };
}

function readAnswer(
  message: OllamaMessageBody,
  param: string,
  argumentsText: ReadonlyMap<string, string>,
): Message {
  rejectImages(message, param);
  const reasoning = wellFormed(message.thinking ?? "");
  const toolCalls = (message.tool_calls ?? []).map(({ id, function: called }, index): ToolCall => {
    const place = `${param}.tool_calls.${index}`;
    return {
      id: id == null || id === "" ? `call_${place.replace(/\D+/g, "_")}` : wellFormed(id),
      name: wellFormed(called.name),
      arguments: wellFormed(argumentsText.get(parseArguments(place)) ?? toArgumentsText(called.arguments)),
    };
  });
  return {
    role: "assistant",
    content: wellFormed(message.content ?? ""),
    reasoning: reasoning || undefined,
    toolCalls: toolCalls.length === 0 ? undefined : toolCalls,
  };
}

function argumentTexts(
  messages: readonly OllamaMessageBody[],
  bodyText: string | null,
): ReadonlyMap<string, string> {
  if (bodyText === null) return new Map();
  const paths = messages.flatMap(({ tool_calls: calls }, at) =>
    (calls ?? []).flatMap(({ function: called }, index) =>
      typeof called.arguments === "string" ? [] : [parseArguments(`messages.${at}.tool_calls.${index}`)],
    ),
  );
  const texts = memberTexts(bodyText, paths);
  return new Map(
    paths.flatMap((path, index) => {
      const text = texts[index];
      return text !== undefined && mayRoundNumbers(text) ? [[path, text] as const] : [];
    }),
  );
}

function parseArguments(call: string): string {
  return `${call}.function.arguments`;
}

function rejectImages({ role, images }: OllamaMessageBody, param: string): void {
  if ((images ?? []).length > 0)
    throw unsupported(`${param}.images`, `images in messages of the role '${role}' are`);
}
