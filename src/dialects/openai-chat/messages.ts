/** The conversation of a chat request, from wire messages to the house's own. Pure. */
import type { Message } from "../../core/generation.js";
import { unsupported } from "../field-error.js";
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
      return { role: "system", content: text(message.content, param), ...named(message.name) };
    case "user":
      return { role: "user", content: text(message.content, param), ...named(message.name) };
    case "assistant":
      return parseAnswer(message, param);
    case "tool":
    case "function":
      throw unsupported(`${param}.role`, `messages of the role '${message.role}' are`);
  }
}

function parseAnswer(message: Extract<ChatMessageBody, { role: "assistant" }>, param: string): Message {
  if (message.tool_calls != null && message.tool_calls.length > 0)
    throw unsupported(`${param}.tool_calls`, "tool calls are");
  if (message.function_call != null) throw unsupported(`${param}.function_call`, "function calls are");
  const said = text(message.content, param, true);
  const reasoning = wellFormed(message.reasoning_content ?? "");
  return {
    role: "assistant",
    content: said === "" ? wellFormed(message.refusal ?? "") : said,
    ...named(message.name),
    ...(reasoning === "" ? {} : { reasoning }),
  };
}

function named(name: string | null | undefined): { readonly name?: string } {
  return name == null || name === "" ? {} : { name: wellFormed(name) };
}

/** Parts follow one another without anything between them. */
function text(content: ContentBody, param: string, isAnswer = false): string {
  if (content == null) return "";
  if (typeof content === "string") return wellFormed(content);
  const texts = content.map((part, index) => {
    if (part.type === "text") return part.text;
    if (part.type === "refusal" && isAnswer) return part.refusal;
    throw unsupported(`${param}.content.${index}`, `content parts of the type '${part.type}' are`);
  });
  return wellFormed(texts.join(""));
}

/** Half a surrogate pair is no character, and has no bytes in UTF-8. */
function wellFormed(value: string): string {
  return value.replace(/\p{Surrogate}/gu, "\uFFFD");
}
