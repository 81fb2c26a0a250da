/**
 * The one internal request and the one event stream that every dialect speaks to the engine and back.
 * A stream of events is: one `generation-start` (one for each prompt, where there are several, when its first choice begins),
 * then of each choice its deltas in the order of the text and one `generation-end`, the choices in any mixture; or a
 * HearthError thrown in place of any of them. `stream: false` is a fold of the same events.
 */

import type { MessageImage } from "./images.js";

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
  /** Images that stand in the content; whoever makes a prompt of it has to put words in their places first. */
  readonly images?: readonly MessageImage[];
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

/** Whether tools are called, and which. */
export interface ToolChoice {
  /** The model decides, must call at least one, or must call none. */
  readonly mode: "auto" | "required" | "none";
  /** Names of the tools that may be called; null: all of them. */
  readonly names: readonly string[] | null;
  /** Several calls may stand in one answer. */
  readonly parallel: boolean;
}

/** No tool is called. */
export const noTools: ToolChoice = { mode: "none", names: null, parallel: true };

/** What the text of an answer has to be. */
export type AnswerFormat =
  | { readonly type: "text" }
  | { readonly type: "json-object" }
  | { readonly type: "json-schema"; readonly schema: Readonly<Record<string, unknown>> };

/** The fields of a client's request that hold schemas, as dotted paths. */
export interface SchemaPlaces {
  /** Of the answer's format. */
  readonly format: string;
  /** Of the arguments of each tool, in the order of the tools. */
  readonly tools: readonly string[];
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
  /** Only so many of the likeliest tokens are drawn from; null: no such bound. */
  readonly topK: number | null;
  /** Tokens less likely than this share of the likeliest one are not drawn; 0: none. */
  readonly minP: number;
  /** Added to the logits of tokens, by token id; -100 and 100 forbid and force. */
  readonly logitBias: Readonly<Record<string, number>>;
}

/** A prompt that is taken as it is, without a chat template. */
export interface RawPrompt {
  /** Text, or token ids of the model's own vocabulary. */
  readonly prompt: string | readonly number[];
  /** The text that the answer leads up to; null: it leads anywhere. */
  readonly suffix: string | null;
  /** Control tokens that are written in the texts are read as such; else they are plain text. */
  readonly readsControlTokens: boolean;
}

/** What is answered in place of a conversation. */
export interface RawPrompts {
  /** At least one; each is answered by an equal share of the request's choices, in order. */
  readonly prompts: readonly RawPrompt[];
  /** Every choice begins with the text of its prompt. */
  readonly echo: boolean;
}

export interface GenerationRequest {
  /** Model id as the client wrote it: an id or an alias. */
  readonly model: string;
  readonly messages: readonly Message[];
  /** Stands in place of the messages, which are none; the answer is text and nothing else. */
  readonly raw?: RawPrompts;
  /** See Conversation. */
  readonly prefill?: string;
  /** The oldest messages are left out where the prompt does not fit; absent: it is refused. */
  readonly truncates?: boolean;
  readonly tools: readonly Tool[];
  readonly toolChoice: ToolChoice;
  readonly format: AnswerFormat;
  /** Where its schemas stand, as errors name them; absent: where a chat request has them. */
  readonly schemaPlaces?: SchemaPlaces;
  readonly reasoningEffort: ReasoningEffort;
  /** Reasoning is ended after so many tokens; absent: after as many as suit the effort. */
  readonly reasoningTokensMax?: number;
  readonly sampling: Sampling;
  /** How many alternatives to tell for each token of the text; null: no log probabilities at all. */
  readonly topLogprobs: number | null;
  /** Answers, drawn independently: to the same prompt, or shared out among several. */
  readonly choices: number;
  /** Texts that end the answer; they are not part of it. */
  readonly stop: readonly string[];
  /** Bound on sampled tokens; null = whatever the context still holds. */
  readonly maxTokens: number | null;
  /** true: `maxTokens` bounds the visible text only, reasoning comes on top (xAI's counting). */
  readonly maxTokensExcludesReasoning: boolean;
  /** Runs alone and from an empty cache: with a seed, the same bytes every time. */
  readonly deterministic: boolean;
}

/** Why an answer ended: the model ended its turn, a stop text, the token bound, or it calls tools. */
export type FinishReason = "stop" | "stop_sequence" | "length" | "tool_calls";

export interface GenerationStart {
  readonly type: "generation-start";
  /** All prompt tokens, cached ones included. */
  readonly promptTokens: number;
  /** Prompt tokens whose evaluation was skipped. */
  readonly cachedTokens: number;
  /** Prompt tokens that tell what is on images; absent: none. */
  readonly imageTokens?: number;
}

/** A token and how likely it was, as the natural logarithm of its probability. */
export interface TokenLogprob {
  readonly text: string;
  /** UTF-8; a character may be spread over several tokens. */
  readonly bytes: readonly number[];
  readonly logprob: number;
}

/** A sampled token of the text, with the likeliest ones in its place. */
export interface SampledLogprob extends TokenLogprob {
  readonly top: readonly TokenLogprob[];
}

/**
 * A piece of the answer. `tokens` counts every token sampled since the event before, so that sums are exact; `choice` tells
 * the answers to one request apart.
 */
export interface TextDelta {
  readonly type: "text-delta" | "reasoning-delta";
  readonly choice: number;
  readonly text: string;
  readonly tokens: number;
  /** Where they were asked for: of the tokens of this piece. */
  readonly logprobs?: readonly SampledLogprob[];
}

/** A tool call begins; calls of one answer are numbered from 0. */
export interface ToolCallStart {
  readonly type: "tool-call-start";
  readonly choice: number;
  readonly index: number;
  readonly id: string;
  readonly name: string;
  readonly tokens: number;
}

/** A piece of the JSON text of a call's arguments. */
export interface ToolCallDelta {
  readonly type: "tool-call-delta";
  readonly choice: number;
  readonly index: number;
  readonly arguments: string;
  readonly tokens: number;
}

/** The arguments of a call are whole. A call that the answer ends in the middle of has no such event. */
export interface ToolCallEnd {
  readonly type: "tool-call-end";
  readonly choice: number;
  readonly index: number;
  readonly tokens: number;
}

/** One choice has come to its end. */
export interface GenerationEnd {
  readonly type: "generation-end";
  readonly choice: number;
  readonly finishReason: FinishReason;
  /** The stop text that was met, when finishReason is `stop_sequence`. */
  readonly stopSequence: string | null;
}

export type ToolCallEvent = ToolCallStart | ToolCallDelta | ToolCallEnd;

export type GenerationEvent = GenerationStart | TextDelta | ToolCallEvent | GenerationEnd;

/**
 * Joins a delta to the one before it when both belong to the same part of the answer. A reader that falls behind loses no text
 * this way, only its granularity; choices that are drawn side by side do not stand in each other's way.
 */
export const mergingEvents = {
  strandOf: (event: GenerationEvent): number | null =>
    event.type === "generation-start" ? null : event.choice,
  merge: mergeEvents,
};

/** See `mergingEvents`. */
export function mergeEvents(last: GenerationEvent, next: GenerationEvent): GenerationEvent | null {
  if (last.type === "tool-call-delta") {
    if (next.type !== last.type || next.choice !== last.choice || next.index !== last.index) return null;
    return { ...last, arguments: last.arguments + next.arguments, tokens: last.tokens + next.tokens };
  }
  if (last.type !== "text-delta" && last.type !== "reasoning-delta") return null;
  if (next.type !== last.type || next.choice !== last.choice) return null;
  const logprobs = [...(last.logprobs ?? []), ...(next.logprobs ?? [])];
  const { type, choice } = last;
  const merged = { type, choice, text: last.text + next.text, tokens: last.tokens + next.tokens };
  return logprobs.length === 0 ? merged : { ...merged, logprobs };
}
