/** Parses the messages of POST /api/chat. Pure. */
import type { Message, ToolCall } from "../../../core/generation.js";
import { mayRoundNumbers, memberTexts } from "../../../core/json/member-texts.js";
import { unsupported } from "../../field-error.js";
import { joinParts, type ContentPart, type MessageContent } from "../../message-content.js";
import { imageUrl } from "../fields.js";
import { wellFormed } from "../../well-formed.js";
import type { OllamaMessageBody } from "./schema.js";

/**
 * Parses the messages in order. Calls need no ids: a result without one belongs to the first call of its tool that has none yet.
 * @param bodyText the JSON text of the body if it may have numbers that JSON.parse rounds; the arguments of calls keep them.
 * @throws HearthError `invalid_value` for images outside of a user's or a tool's message.
 */
export function parseMessages(
  messages: readonly OllamaMessageBody[],
  bodyText: string | null,
): readonly Message[] {
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
  const parts = (images ?? []).map((image, index): ContentPart => ({
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
    ...(name === "" ? {} : { name: wellFormed(name) }),
    ...(toolCallId === undefined ? {} : { toolCallId }),
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
      arguments: wellFormed(argumentsText.get(argumentsOf(place)) ?? JSON.stringify(called.arguments ?? {})),
    };
  });
  return {
    role: "assistant",
    content: wellFormed(message.content ?? ""),
    ...(reasoning === "" ? {} : { reasoning }),
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
  };
}

function argumentTexts(
  messages: readonly OllamaMessageBody[],
  bodyText: string | null,
): ReadonlyMap<string, string> {
  if (bodyText === null) return new Map();
  const paths = messages.flatMap(({ tool_calls: calls }, at) =>
    (calls ?? []).map((_, index) => argumentsOf(`messages.${at}.tool_calls.${index}`)),
  );
  const texts = memberTexts(bodyText, paths);
  return new Map(
    paths.flatMap((path, index) => {
      const text = texts[index];
      return text !== undefined && mayRoundNumbers(text) ? [[path, text] as const] : [];
    }),
  );
}

function argumentsOf(call: string): string {
  return `${call}.function.arguments`;
}

function rejectImages({ role, images }: OllamaMessageBody, param: string): void {
  if ((images ?? []).length > 0)
    throw unsupported(`${param}.images`, `images in messages of the role '${role}' are`);
}
