/**
 * The one internal request and the one event stream that every dialect speaks to the engine and back.
 * A stream of events is: one `generation-start`, deltas in the order of the text, one `generation-end`; or a HearthError
 * thrown in place of any of them. `stream: false` is a fold of the same events.
 */

export type Role = "system" | "user" | "assistant" | "tool";

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON text of the arguments object. */
  readonly arguments: string;
}

/** One turn of a conversation; `content` is plain text, never read as control tokens. */
export interface Message {
  readonly role: Role;
  readonly content: string;
  readonly name?: string;
  readonly reasoning?: string;
  readonly toolCalls?: readonly ToolCall[];
  readonly toolCallId?: string;
}

export interface Tool {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** How hard to think before answering: off, the model's own default, or an effort. */
export type ReasoningEffort = "none" | "default" | "low" | "medium" | "high";

/** How tokens are drawn. Ranges are checked at the door; the engine trusts them. */
export interface Sampling {
  /** 0 (greedy) to 2. */
  readonly temperature: number;
  /** 0 < p <= 1. */
  readonly topP: number;
  /** 32-bit unsigned; null draws a fresh one for every run. */
  readonly seed: number | null;
  /** -2 to 2. */
  readonly frequencyPenalty: number;
  /** -2 to 2. */
  readonly presencePenalty: number;
}

export interface GenerationRequest {
  /** Model id as the client wrote it: an id or an alias. */
  readonly model: string;
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
  readonly reasoningEffort: ReasoningEffort;
  readonly sampling: Sampling;
  /** Texts that end the answer; they are not part of it. */
  readonly stop: readonly string[];
  /** Bound on sampled tokens; null = whatever the context still holds. */
  readonly maxTokens: number | null;
  /** true: `maxTokens` bounds the visible text only, reasoning comes on top (xAI's counting). */
  readonly maxTokensExcludesReasoning: boolean;
  /** Runs alone and from an empty cache: with a seed, the same bytes every time. */
  readonly deterministic: boolean;
}

/** Why an answer ended: the model ended its turn, a stop text, or the token bound. */
export type FinishReason = "stop" | "stop_sequence" | "length";

export interface GenerationStart {
  readonly type: "generation-start";
  /** All prompt tokens, cached ones included. */
  readonly promptTokens: number;
  /** Prompt tokens whose evaluation was skipped. */
  readonly cachedTokens: number;
}

/** A piece of the answer. `tokens` counts every token sampled since the delta before, so that sums are exact. */
export interface TextDelta {
  readonly type: "text-delta" | "reasoning-delta";
  readonly text: string;
  readonly tokens: number;
}

export interface GenerationEnd {
  readonly type: "generation-end";
  readonly finishReason: FinishReason;
  /** The stop text that was met, when finishReason is `stop_sequence`. */
  readonly stopSequence: string | null;
}

export type GenerationEvent = GenerationStart | TextDelta | GenerationEnd;

/**
 * Joins a delta to the one before it when both belong to the same part of the answer, else null.
 * A reader that falls behind loses no text this way, only its granularity.
 */
export function mergeEvents(last: GenerationEvent, next: GenerationEvent): GenerationEvent | null {
  if (last.type !== "text-delta" && last.type !== "reasoning-delta") return null;
  if (next.type !== last.type) return null;
  return { type: last.type, text: last.text + next.text, tokens: last.tokens + next.tokens };
}
