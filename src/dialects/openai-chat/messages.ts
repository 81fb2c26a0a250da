/** The conversation of a chat request, from wire messages to the house's own. Pure. */
import type { Message, ToolCall } from "../../core/generation.js";
import { unsupported } from "../field-error.js";
import { detailOf, together, type Content, type Piece } from "../pieces.js";
import { wellFormed } from "../well-formed.js";
import type { ChatMessageBody, ContentBody } from "./schema.js";

/**
 * Reads the messages in their order; system messages may stand anywhere.
 * @throws HearthError `invalid_value` naming the message or part that is not served.
 */
export function parseMessages(messages: readonly ChatMessageBody[]): readonly Message[] {
  return messages.map((message, index) => parseMessage(message, `messages.${index}`));
}

function parseMessage(message: ChatMessageBody, param: string): Message {
  switch (message.role) {
    case "system":
    case "developer":
      return { role: "system", ...read(message.content, param), ...named(message.name) };
    case "user":
      return { role: "user", ...read(message.content, param), ...named(message.name) };
    case "assistant":
      return parseAnswer(message, param);
    case "tool": {
      const { tool_call_id: id } = message;
      const result = { role: "tool", ...read(message.content, param) } as const;
      return id == null ? result : { ...result, toolCallId: wellFormed(id) };
    }
    case "function":
      return { role: "tool", ...read(message.content, param), ...named(message.name) };
  }
}

type AnswerBody = Extract<ChatMessageBody, { role: "assistant" }>;

function parseAnswer(message: AnswerBody, param: string): Message {
  const calls = parseCalls(message);
  const { content: said } = read(message.content, param, true);
  const reasoning = wellFormed(message.reasoning_content ?? "");
  return {
    role: "assistant",
    content: said === "" ? wellFormed(message.refusal ?? "") : said,
    ...named(message.name),
    ...(reasoning === "" ? {} : { reasoning }),
    ...(calls.length === 0 ? {} : { toolCalls: calls }),
  };
}

/** The older `function_call` is a call without an id; its name stands in for one. */
function parseCalls(message: AnswerBody): readonly ToolCall[] {
  const { tool_calls: calls, function_call: call } = message;
  if (call != null) return [toolCall(call.name, call)];
  return (calls ?? []).map(({ id, function: called }) => toolCall(id, called));
}

function toolCall(id: string, called: { readonly name: string; readonly arguments: string }): ToolCall {
  return {
    id: wellFormed(id),
    name: wellFormed(called.name),
    arguments: wellFormed(called.arguments),
  };
}

function named(name: string | null | undefined): { readonly name?: string } {
  return name == null || name === "" ? {} : { name: wellFormed(name) };
}

/** Parts follow one another without anything between them. */
function read(content: ContentBody, param: string, isAnswer = false): Content {
  if (content == null) return { content: "" };
  if (typeof content === "string") return { content: wellFormed(content) };
  return together(content.map((part, index) => readPart(part, `${param}.content.${index}`, isAnswer)));
}

type PartBody = Exclude<NonNullable<ContentBody>, string>[number];

function readPart(part: PartBody, param: string, isAnswer: boolean): Piece {
  if (part.type === "text") return part.text;
  if (part.type === "refusal" && isAnswer) return part.refusal;
  if (part.type === "image_url" && !isAnswer) {
    const { url, detail } = part.image_url;
    return { url, detail: detailOf(detail, part.detail), param: `${param}.image_url.url` };
  }
  throw unsupported(param, `content parts of the type '${part.type}' are`);
}
