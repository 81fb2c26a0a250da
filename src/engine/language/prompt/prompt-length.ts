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
 * Checks the texts that are in the prompt as a whole; white space around them may be left out.
 * @throws HearthError `context_length_exceeded` when the prompt has too many tokens, whatever they are.
 */
export function refuseLongPrompt(
  source: Conversation | RawPrompt,
  { contextTokens, longestTokenBytes }: PromptBounds,
): void {
  if (longestTokenBytes === undefined) return;
  const texts = findWholeTexts(source);
  const sum = (measureText: (text: string) => number): number =>
    texts.reduce((total, text) => total + measureText(text), 0);
  // A UTF-16 unit has at most three bytes. Bytes take time to count, so short texts are not counted.
  if (3 * sum((text) => text.length) < contextTokens * longestTokenBytes) return;
  const fewest = Math.ceil(sum((text) => Buffer.byteLength(text.trim())) / longestTokenBytes);
  const param = "prompt" in source ? "prompt" : "messages";
  if (fewest >= contextTokens) throw promptTooLong(contextTokens, fewest, param, true);
}

/**
 * Returns the texts that no template leaves out: read-template.ts repairs a template that does. What an assistant has said is not among
 * them, because templates leave out its reasoning.
 */
function findWholeTexts(source: Conversation | RawPrompt): readonly string[] {
  if ("prompt" in source)
    return typeof source.prompt === "string" && source.lastTokens === undefined ? [source.prompt] : [];
  const { messages, tools } = source;
  return [
    ...messages.filter(({ role }) => role !== "assistant").map(({ content }) => content),
    ...tools.map(({ description = "" }) => description),
  ];
}
