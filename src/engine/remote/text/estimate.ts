/** Numbers of tokens where the tokenizer of a model is not known. */
import type { Conversation } from "../../../core/engine.js";

/** UTF-8; of English text about that many. */
const bytesPerToken = 4;
/** Marks around a message. */
const tokensPerMessage = 4;

export function estimatedTokens(bytes: number): number {
  return Math.ceil(bytes / bytesPerToken);
}

export function estimatedPromptTokens(conversation: Conversation): number {
  return estimatedTokens(countBytes(conversation)) + conversation.messages.length * tokensPerMessage;
}

/** Tokens that a server puts before a conversation, and around each message. */
const tokensBeforeMax = 32;
const tokensPerMessageMax = 16;

/** Returns the most tokens that a server may count of a conversation: none is shorter than a byte. */
export function maxPromptTokens(conversation: Conversation): number {
  return countBytes(conversation) + tokensBeforeMax + conversation.messages.length * tokensPerMessageMax;
}

function countBytes({ messages, tools }: Conversation): number {
  const bytes = messages.reduce((sum, { content, toolCalls = [] }) => {
    const calls = toolCalls.reduce(
      (all, call) => all + call.name.length + Buffer.byteLength(call.arguments),
      0,
    );
    return sum + Buffer.byteLength(content) + calls;
  }, 0);
  return bytes + (tools.length === 0 ? 0 : Buffer.byteLength(JSON.stringify(tools)));
}
