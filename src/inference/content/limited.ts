import type { ContentMessage, ContentPart } from "./messages.js";

interface LimitedContent {
  readonly messages: readonly ContentMessage[];
  /** Whether something was left out. */
  readonly isCut: boolean;
}

/** What a part counts besides its text. */
const charsPerPart = 100;

/**
 * Returns messages whose texts have at most a number of characters together. A longer conversation keeps its last messages, because it
 * grows at its end; of a text that is too long, its beginning.
 */
export function limited(messages: readonly ContentMessage[], charsMax: number): LimitedContent {
  const kept: ContentMessage[] = [];
  let charsLeft = charsMax;
  let isCut = false;
  for (const message of messages.toReversed()) {
    const parts: ContentPart[] = [];
    for (const part of message.parts.toReversed()) {
      const fitting = within(part, charsLeft - charsPerPart);
      charsLeft -= charsPerPart + readText(part).length;
      if (fitting !== part) isCut = true;
      if (fitting !== null) parts.unshift(fitting);
    }
    if (parts.length > 0 || message.parts.length === 0) kept.unshift({ ...message, parts });
  }
  return { messages: kept, isCut };
}

function readText(part: ContentPart): string {
  switch (part.type) {
    case "text":
    case "reasoning":
      return part.content;
    case "tool_call":
      return part.arguments;
    case "tool_call_response":
      return part.response;
    case "uri":
      return part.uri;
    default:
      return "";
  }
}

/** Returns a part, or its beginning; null where nothing of it fits. */
function within(part: ContentPart, chars: number): ContentPart | null {
  if (readText(part).length <= chars) return part;
  if (chars <= 0) return null;
  switch (part.type) {
    case "text":
    case "reasoning":
      return { ...part, content: part.content.slice(0, chars) };
    case "tool_call":
      return { ...part, arguments: part.arguments.slice(0, chars) };
    case "tool_call_response":
      return { ...part, response: part.response.slice(0, chars) };
    default:
      return null;
  }
}
