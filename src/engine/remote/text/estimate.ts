/** Numbers of tokens where the tokenizer of a model is not known. */
import type { Conversation } from "../../../core/engine.js";

/** UTF-8; of English text about that many. */
const bytesPerToken = 4;
/** Marks around a message. */
const tokensPerMessage = 4;

export function estimatedTokens(bytes: number): number {
  return Math.ceil(bytes / bytesPerToken);
}

export function estimatedPromptTokens({ messages, tools }: Conversation): number {
  const bytes = messages.reduce((sum, { content, toolCalls = [] }) => {
    const calls = toolCalls.reduce(
      (all, call) => all + call.name.length + Buffer.byteLength(call.arguments),
      0,
    );
    return sum + Buffer.byteLength(content) + calls;
  }, 0);
  const toolBytes = tools.length === 0 ? 0 : Buffer.byteLength(JSON.stringify(tools));
  return estimatedTokens(bytes + toolBytes) + messages.length * tokensPerMessage;
}
