/** Refuses prompts by their length, before they are copied to another thread, rendered and tokenized. */
import type { Conversation } from "../../../core/engine.js";
import type { RawPrompt } from "../../../core/generation.js";
import { promptTooLong } from "./context-length.js";

export interface PromptBounds {
  readonly contextTokens: number;
  /** No text of n bytes has fewer than n / longestTokenBytes tokens; absent: it is not known. */
  readonly longestTokenBytes?: number;
}

/**
 * Checks a text that is in the prompt as a whole. No template leaves out the last message of the user; white space around it may be left out.
 * @throws HearthError `context_length_exceeded` when the prompt has too many tokens, whatever they are.
 */
export function refuseLongPrompt(
  source: Conversation | RawPrompt,
  { contextTokens, longestTokenBytes }: PromptBounds,
): void {
  if (longestTokenBytes === undefined) return;
  const text = findCountedText(source);
  // A text has at least as many bytes as UTF-16 units; bytes take time to count.
  if (text.length < contextTokens * longestTokenBytes) return;
  const fewest = Math.ceil(Buffer.byteLength(text.trim()) / longestTokenBytes);
  const param = "prompt" in source ? "prompt" : "messages";
  if (fewest >= contextTokens) throw promptTooLong(contextTokens, fewest, param, true);
}

function findCountedText(source: Conversation | RawPrompt): string {
  if ("prompt" in source) return typeof source.prompt === "string" ? source.prompt : "";
  return source.messages.findLast(({ role }) => role === "user")?.content ?? "";
}
