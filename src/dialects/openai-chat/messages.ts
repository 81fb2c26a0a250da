/** Parses the messages of a chat request. Pure. */
import type { Message, ToolCall } from "../../core/generation.js";
import { textArguments } from "../client-tools/text-input.js";
import { unsupported } from "../field-error.js";
import { imageDetailOf, joinParts, type MessageContent, type ContentPart } from "../message-content.js";
import { readTextFile } from "../text-file.js";
import { wellFormed } from "../well-formed.js";
import type { ChatMessageBody, ContentBody } from "./schema.js";

/**
 * Parses the messages in order. System messages may occur anywhere.
 * @throws HearthError `invalid_value` that names an unsupported message or part.
 */
export function parseMessages(messages: readonly ChatMessageBody[]): readonly Message[] {
  return messages.map((message, index) => parseMessage(message, `messages.${index}`));
}

function parseMessage(message: ChatMessageBody, param: string): Message {
  switch (message.role) {
    case "system":
    case "developer":
      return { role: "system", ...readContent(message.content, param), ...nameField(message.name) };
    case "user":
      return { role: "user", ...readContent(message.content, param), ...nameField(message.name) };
    case "assistant":
      return parseAssistantMessage(message, param);
    case "tool": {
      const { tool_call_id: id } = message;
      const result = { role: "tool", ...readContent(message.content, param) } as const;
      return id == null ? result : { ...result, toolCallId: wellFormed(id) };
    }
    case "function":
      return { role: "tool", ...readContent(message.content, param), ...nameField(message.name) };
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
    ...nameField(message.name),
    ...(reasoning === "" ? {} : { reasoning }),
    ...(calls.length === 0 ? {} : { toolCalls: calls }),
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

function nameField(name: string | null | undefined): { readonly name?: string } {
  return name == null || name === "" ? {} : { name: wellFormed(name) };
}

/** Parts are joined without a separator. */
function readContent(content: ContentBody, param: string, isAssistant = false): MessageContent {
  if (content == null) return { content: "" };
  if (typeof content === "string") return { content: wellFormed(content) };
  return joinParts(content.map((part, index) => readPart(part, `${param}.content.${index}`, isAssistant)));
}

type PartBody = Exclude<NonNullable<ContentBody>, string>[number];

function readPart(part: PartBody, param: string, isAssistant: boolean): ContentPart {
  if (part.type === "text") return part.text;
  if (part.type === "refusal" && isAssistant) return part.refusal;
  if (part.type === "image_url" && !isAssistant) {
    const { url, detail } = part.image_url;
    return { url, detail: imageDetailOf(detail, part.detail), param: `${param}.image_url.url` };
  }
  if (part.type === "file" && part.file?.file_data != null && !isAssistant) {
    const { file_data: data, filename } = part.file;
    return readTextFile({ data, filename }, `${param}.file.file_data`);
  }
  throw unsupported(param, `content parts of the type '${part.type}' are`);
}
