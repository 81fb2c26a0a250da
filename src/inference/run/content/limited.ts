import type { ContentMessage, ContentPart } from "./messages.js";

export interface LimitedContent {
  readonly messages: readonly ContentMessage[];
  /** Whether something was left out. */
  readonly isCut: boolean;
}

/** Returns messages without the texts that exceed a number of characters: the last ones, because a conversation grows at its end, are kept. */
export function limited(messages: readonly ContentMessage[], charsMax: number): LimitedContent {
  const kept: ContentMessage[] = [];
  let charsLeft = charsMax;
  let isCut = false;
  for (const message of messages.toReversed()) {
    if (charsLeft <= 0) {
      isCut = true;
      break;
    }
    const parts: ContentPart[] = [];
    for (const part of message.parts.toReversed()) {
      const whole = JSON.stringify(part).length;
      if (whole <= charsLeft) parts.unshift(part);
      else {
        isCut = true;
        const cut = cutPart(part, Math.max(0, charsLeft - (whole - textOf(part).length)));
        if (cut !== null) parts.unshift(cut);
      }
      charsLeft -= whole;
    }
    if (parts.length > 0) kept.unshift({ ...message, parts });
  }
  return { messages: kept, isCut };
}

function textOf(part: ContentPart): string {
  switch (part.type) {
    case "text":
    case "reasoning":
      return part.content;
    case "tool_call":
      return part.arguments;
    case "tool_call_response":
      return part.response;
    default:
      return "";
  }
}

/** Returns the beginning of a part; null where nothing of it fits. */
function cutPart(part: ContentPart, chars: number): ContentPart | null {
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
