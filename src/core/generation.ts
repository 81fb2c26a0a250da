/**
 * The internal request and the internal event stream, which all dialects share.
 * A stream has one `generation-start` (one for each prompt, before the first delta of its choices; where the server executes calls of
 * the answer, one for each of its turns), then for each choice its
 * deltas in the order of the text and one `generation-end`; choices may interleave. A HearthError may be thrown at any point.
 * `stream: false` is a fold of the same events.
 */

import type { MessageSound } from "./prompt/sounds.js";
import type { HearthError } from "./errors.js";
import type { CountedTokens } from "./requests/counted-tokens.js";
import type { MessageImage } from "./images/images.js";
import type { MessageMedium } from "./prompt/media.js";
import type { RequestLabels } from "./requests/labels.js";

type Role = "system" | "user" | "assistant" | "tool";

/** A call as a model writes it. */
export interface WrittenCall {
  readonly name: string;
  /** JSON text of the arguments object. */
  readonly arguments: string;
}

export interface ToolCall extends WrittenCall {
  readonly id: string;
}

/** The text of a message and its images and sounds, if any. */
export interface MessageContent {
  readonly content: string;
  /** Images in the content. They are replaced, by captions or by media that the model reads, before a prompt is built. */
  readonly images?: readonly MessageImage[];
  /** Sounds in the content. They are replaced by media that the model reads before a prompt is built. */
  readonly sounds?: readonly MessageSound[];
}

/** One message of a conversation; `content` is plain text and is never parsed for control tokens. */
export interface Message extends MessageContent {
  readonly role: Role;
  /** What the model reads itself of the content. */
  readonly media?: readonly MessageMedium[];
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
  /** The JSON text of the schema, if it may have numbers that the value does not keep. */
  readonly parametersText?: string;
  /**
   * A stricter schema for the grammar of the arguments, which the model does not see. Where no grammar can express it, `parameters`
   * alone holds, and the answer has a warning.
   */
  readonly strictParameters?: Readonly<Record<string, unknown>>;
}

/** Whether the model calls tools, and which. */
export interface ToolChoice {
  /** The model decides, must call at least one tool, or must call none. */
  readonly mode: "auto" | "required" | "none";
  /** Names of the tools that may be called; null = all. */
  readonly names: readonly string[] | null;
  /** Whether an answer may contain several calls. */
  readonly parallel: boolean;
  /**
   * Where the names force one call, instead of limiting all calls: whether later turns of the answer, which may call any tool, may
   * contain several calls. Absent: the names hold for later turns, too.
   */
  readonly forced?: { readonly parallelAfterwards: boolean };
  /** Tools of the client that must not be called now. Calls of them that a model writes anyway are left out of its answer. */
  readonly withheld?: readonly Tool[];
}

/** No tool is called. */
export const noTools: ToolChoice = { mode: "none", names: null, parallel: true };

/** How the grammar of a text is written. */
export type GrammarSyntax = "gbnf" | "regex";

/** The required format of the answer's text. */
export type AnswerFormat =
  | { readonly type: "text" }
  | { readonly type: "json-object" }
  /** What a grammar in GBNF describes, or a regular expression from the beginning of the text to its end. */
  | { readonly type: "grammar"; readonly syntax: GrammarSyntax; readonly grammar: string }
  | {
      readonly type: "json-schema";
      readonly schema: Readonly<Record<string, unknown>>;
      /** The JSON text of the schema, if it may have numbers that the value does not keep. */
      readonly schemaText?: string;
    };

/** The dotted paths of the schemas in a client's request. */
interface SchemaPaths {
  /** Path of the answer format's schema. */
  readonly format: string;
  /** Path of the schema of each tool's arguments, in the order of the tools. */
  readonly tools: readonly string[];
}

/** How much to reason before answering: not at all, the model's default, or an effort. */
export type ReasoningEffort = "none" | "default" | "low" | "medium" | "high";

/** How tokens are sampled. Dialects check the ranges; the engine relies on them. */
export interface Sampling {
  /** 0 (greedy) to 2. */
  readonly temperature: number;
  /** 0 < p <= 1. */
  readonly topP: number;
  /** 32-bit unsigned; null = a random seed for every run. */
  readonly seed: number | null;
  /** -2 to 2. */
  readonly frequencyPenalty: number;
  /** -2 to 2. */
  readonly presencePenalty: number;
  /** Samples only from this number of most likely tokens; null = no limit. */
  readonly topK: number | null;
  /** Excludes tokens less likely than this fraction of the most likely one; 0 = excludes none. */
  readonly minP: number;
  /** Divides the logits of tokens that have occurred in the answer (multiplies negative ones), from 0.1 to 10; absent = 1, no effect. */
  readonly repeatPenalty?: number;
  /** The three penalties count only this number of latest tokens; null or absent = all of the answer. */
  readonly penaltyTokens?: number | null;
  /** Added to the logits of tokens, by token id; -100 forbids a token and 100 forces it. */
  readonly logitBias: Readonly<Record<string, number>>;
}

/** What a request states of its sampling; the model's defaults, then general ones, decide the rest. */
export type StatedSampling = { readonly [Name in keyof Sampling]?: Sampling[Name] };

/** A prompt that is used unchanged, without a chat template. */
export interface RawPrompt {
  /** Text, or token ids of the model's own vocabulary. */
  readonly prompt: string | readonly number[];
  /** The text that follows the answer, for fill-in-the-middle; null = none. */
  readonly suffix: string | null;
  /** Whether control tokens in the texts are parsed; else they are plain text. */
  readonly readsControlTokens: boolean;
  /** Only this number of its last tokens are used, the token before every text included; absent = all. Without a suffix. */
  readonly lastTokens?: number;
}

/** Prompts that replace the conversation. */
interface RawPrompts {
  /** At least one. The request's choices are divided equally among them, in order. */
  readonly prompts: readonly RawPrompt[];
  /** Whether every choice starts with the text of its prompt. */
  readonly echo: boolean;
}

/** Replaces a long conversation by the model's summary of it, before the model answers. */
export interface Compaction {
  /** Conversations whose prompt has more tokens are summarized. */
  readonly aboveTokens: number;
  /** What the model is asked for the summary. */
  readonly instruction: string;
  /** Maximum sampled tokens of the summary. */
  readonly summaryTokensMax: number;
  /** Stands before the summary in the conversation. */
  readonly heading: string;
}

/** How the model reasons. */
export interface ReasoningSettings {
  readonly reasoningEffort: ReasoningEffort;
  /** Reasoning ends after this number of tokens; absent = depends on the effort. */
  readonly reasoningTokensMax?: number;
  /** See Conversation.templateVariables. */
  readonly templateVariables?: Readonly<Record<string, unknown>>;
}

/** What the model reads, and how it reasons about it. */
export interface ConversationRequest extends ReasoningSettings {
  readonly messages: readonly Message[];
  /** Replaces the messages, which are empty then; the answer is text only. */
  readonly raw?: RawPrompts;
  /** See Conversation.prefill. */
  readonly prefill?: string;
}

/** What a request says of its answer that the engine reads as it is. */
export interface DecodingRequest {
  /** Calls of these tools are parsed from the output. */
  readonly tools: readonly Tool[];
  readonly toolChoice: ToolChoice;
  /** Number of alternatives to report for each token of the text; null = no log probabilities. */
  readonly topLogprobs: number | null;
  /** Texts that end the answer; they are not part of it. */
  readonly stop: readonly string[];
  /** Tokens of the model's vocabulary that end the answer, besides the model's own; absent = none. */
  readonly stopTokens?: readonly number[];
  /** The model may end the answer only after this number of sampled tokens; Infinity = never. Absent = 0. */
  readonly minTokens?: number;
  /** Maximum sampled tokens; null = not stated. */
  readonly maxTokens: number | null;
  /** Whether `maxTokens` limits the visible text only, not the reasoning (xAI's counting). */
  readonly maxTokensExcludesReasoning: boolean;
  /** Whether it runs alone and from an empty cache; with a seed it returns the same bytes every time, whatever the load. */
  readonly deterministic: boolean;
  /** Whether nothing of it is written to disk, prefix files included; absent = false. */
  readonly ephemeral?: boolean;
  /** Requests of a team with the same key prefer the same slot; an engine may ignore it. It never changes an answer; absent = no preference. */
  readonly cacheKey?: string;
}

/** Returns these fields alone, each of them: a thread gets no more of a request. */
export function selectDecoding(request: DecodingRequest): {
  readonly [Name in keyof Required<DecodingRequest>]: DecodingRequest[Name];
} {
  const { tools, toolChoice, topLogprobs, stop, stopTokens, minTokens, maxTokens } = request;
  const { maxTokensExcludesReasoning, deterministic, ephemeral, cacheKey } = request;
  const ends = { stop, stopTokens, minTokens, maxTokens, maxTokensExcludesReasoning };
  return { tools, toolChoice, topLogprobs, ...ends, deterministic, ephemeral, cacheKey };
}

export interface GenerationRequest extends ConversationRequest, DecodingRequest {
  /** Model id or alias, as the client wrote it. */
  readonly model: string;
  /** Whether the oldest messages are dropped when the prompt does not fit; absent = the request is refused. */
  readonly truncate?: boolean;
  /** Only of requests for one choice. */
  readonly compaction?: Compaction;
  readonly format: AnswerFormat;
  /** Paths of the schemas, for errors; absent = the paths of a chat request. */
  readonly schemaPaths?: SchemaPaths;
  readonly sampling: StatedSampling;
  /** `penaltyTokens` where the request states none; absent = all of the answer. */
  readonly penaltyTokensUnstated?: number;
  /** Number of answers, sampled independently, to the one prompt or divided among several. */
  readonly choices: number;
  /** Maximum sampled tokens where neither the request nor the model states one; absent = as many as the context holds. */
  readonly maxTokensUnstated?: number | undefined;
  /** Maximum calls that the server executes; absent = as many as it does for one answer. */
  readonly serverCallsMax?: number;
  /** Sentences about parts of the client's request that are not applied, for a header of the answer. */
  readonly warnings?: readonly string[];
  /** Stored with the run unless it is ephemeral; spend is counted by them. */
  readonly labels?: RequestLabels;
}

/** Why an answer ended: the model ended it, a stop text, the maximum of tokens, tool calls, or the rules for contents of its server. */
export type FinishReason = "stop" | "stop_sequence" | "length" | "tool_calls" | "content_filter";

export interface GenerationStart {
  readonly type: "generation-start";
  /** All prompt tokens, cached ones included. */
  readonly promptTokens: number;
  /** Prompt tokens whose evaluation was skipped. */
  readonly cachedTokens: number;
  /** Prompt tokens of image captions; absent = 0. */
  readonly imageTokens?: number;
  /** Prompt tokens of sound; absent = 0. */
  readonly audioTokens?: number;
}

/** A token and the natural logarithm of its probability. */
export interface TokenLogprob {
  readonly text: string;
  /** UTF-8; a character may be spread over several tokens. */
  readonly bytes: readonly number[];
  readonly logprob: number;
}

/** A sampled token of the text, with the most likely tokens at its position. */
export interface SampledLogprob extends TokenLogprob {
  readonly top: readonly TokenLogprob[];
}

/**
 * A piece of an answer. `tokens` counts all tokens sampled since the previous event, so that sums are exact; `choice` is the
 * index of the answer.
 */
export interface TextDelta {
  readonly type: "text-delta" | "reasoning-delta";
  readonly choice: number;
  readonly text: string;
  readonly tokens: number;
  /** Log probabilities of the tokens of this piece, if requested. */
  readonly logprobs?: readonly SampledLogprob[];
}

/** The start of a tool call; the calls of an answer are numbered from 0. */
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

/** The arguments of a call are complete. A call that is cut off by the end of the answer has no such event. */
interface ToolCallEnd {
  readonly type: "tool-call-end";
  readonly choice: number;
  readonly index: number;
  readonly tokens: number;
}

/** The end of one choice. */
export interface GenerationEnd {
  readonly type: "generation-end";
  readonly choice: number;
  readonly finishReason: FinishReason;
  /** The stop text that ended the answer, also one that cut a call or a required format, whose finishReason is `length`. */
  readonly stopSequence: string | null;
  /** Replaces the numbers of the events before, which are estimates; null: the server has not counted. Absent: they are exact. */
  readonly counted?: CountedTokens | null;
  /** Why the answer cannot be used, which its server has ended; absent: it can. */
  readonly failure?: HearthError;
}

/** The last event of an answer that was aborted while its prompt was evaluated. No reader of a run gets it. */
interface PromptCut {
  readonly type: "prompt-cut";
  readonly choice: number;
  /** Tokens of the prompt that were evaluated or cached. */
  readonly evaluatedTokens: number;
}

/** The last event of an answer that was aborted, and of which the server has counted the tokens so far. No reader of a run gets it. */
interface AnswerCut {
  readonly type: "answer-cut";
  readonly choice: number;
  readonly counted: CountedTokens;
}

type ToolCallEvent = ToolCallStart | ToolCallDelta | ToolCallEnd;

export type GenerationEvent = GenerationStart | TextDelta | ToolCallEvent | GenerationEnd;

/** What an engine emits. */
export type EngineEvent = GenerationEvent | PromptCut | AnswerCut;
