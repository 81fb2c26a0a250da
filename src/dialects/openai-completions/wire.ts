/** The shapes of a completion on the wire. A stream's chunks are the same object with pieces of the text. */
import type { OpenAiUsage } from "../openai-usage.js";

export type CompletionFinishReason = "stop" | "length";

/** Of each token of the text, in four lists. */
export interface CompletionLogprobs {
  readonly tokens: readonly string[];
  readonly token_logprobs: readonly number[];
  readonly top_logprobs: readonly Readonly<Record<string, number>>[];
  /** Where each begins in the text, in characters. */
  readonly text_offset: readonly number[];
}

export interface CompletionChoice {
  readonly index: number;
  readonly text: string;
  readonly logprobs: CompletionLogprobs | null;
  readonly finish_reason: CompletionFinishReason | null;
}

export interface Completion {
  readonly id: string;
  readonly object: "text_completion";
  /** Unix seconds. */
  readonly created: number;
  readonly model: string;
  readonly choices: readonly CompletionChoice[];
  readonly usage?: OpenAiUsage;
  readonly system_fingerprint: string;
}
