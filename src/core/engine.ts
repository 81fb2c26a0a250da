import type {
  AnswerFormat,
  DecodingRequest,
  EngineEvent,
  Message,
  RawPrompt,
  ReasoningEffort,
  Sampling,
  StatedSampling,
  Tool,
} from "./generation.js";
import type { Model } from "./model.js";
import type { PromptMedia } from "./prompt/media.js";

/** A conversation from which a prompt is built. */
export interface Conversation {
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
  readonly reasoningEffort: ReasoningEffort;
  /** Further variables of the model's chat template. Texts in them are never parsed for control tokens. Absent: none. */
  readonly templateVariables?: Readonly<Record<string, unknown>> | undefined;
  /** The start of the answer: the prompt ends with it, inside the assistant's message and outside of reasoning. */
  readonly prefill?: string;
}

/** A rendered and tokenized prompt. */
export interface Prompt {
  /** Token ids of the model's own vocabulary, and placeholders of media. */
  readonly tokens: Uint32Array;
  /** What placeholders among the tokens stand for; absent: there are none. */
  readonly media?: PromptMedia | undefined;
  /** Whether the answer starts inside a reasoning block, which the template has opened. */
  readonly startsInReasoning: boolean;
  /** What a server is sent that builds prompts itself; the number of tokens is estimated then, and the tokens have no meaning. */
  readonly conversation?: Conversation;
  /** The most tokens that a server may count which builds the prompt itself; absent: the number of tokens is exact. */
  readonly tokensMax?: number;
  /** The text of a raw prompt. Its answer is text only and is not parsed for reasoning and tool calls. */
  readonly rawText?: string;
}

/** A token of a text. */
export interface TextToken {
  /** Its number in the model's vocabulary. */
  readonly id: number;
  /** UTF-8; a character may be spread over several tokens. */
  readonly bytes: readonly number[];
}

/** The tokens of a text, in order; an array is one. */
export interface TextTokens extends Iterable<TextToken> {
  readonly length: number;
}

/** GBNF rules compiled from schemas; independent of the model. */
export interface AnswerRules {
  /** Right-hand sides by name. */
  readonly rules: ReadonlyMap<string, string>;
  /** The rule of the whole text; null = the text is unconstrained. */
  readonly text: string | null;
  /** The rule of each tool's arguments, in the order of the tools. */
  readonly toolArguments: readonly string[];
}

/** Rules of an unconstrained answer. */
export const freeRules: AnswerRules = { rules: new Map(), text: null, toolArguments: [] };

/** The generation of one choice. */
export interface DecodeJob extends DecodingRequest {
  readonly prompt: Prompt;
  /** Cached prefixes are shared within one team only. */
  readonly teamId: string;
  readonly sampling: Sampling;
  /** What is stated of the sampling: an engine with defaults of its own decides the rest. Absent: all of it is stated. */
  readonly statedSampling?: StatedSampling;
  /** Constrain the answer after its reasoning. */
  readonly rules: AnswerRules;
  /** What the rules were made from, for an engine that takes no grammar; absent = text. */
  readonly format?: AnswerFormat;
  /** The id of a tool call is this prefix and the number of the call. */
  readonly callIdPrefix: string;
  /** Reasoning ends after this number of tokens; null = no limit. */
  readonly reasoningTokensMax: number | null;
}

/** What a model reads besides text. */
export interface MediaReading {
  readonly images: boolean;
  /** Sound at this rate, in Hz; null: none. */
  readonly sampleRate: number | null;
}

/** A model, kept in memory for one run. */
export interface LoadedModel {
  /** Tokens that one slot holds, prompt and output together. */
  readonly contextTokens: number;
  /** Number of jobs that can run concurrently. */
  readonly slots: number;
  /** Names the slots, where other servers may use the same ones; they name them alike. Absent: they are this server's. */
  readonly sharedAs?: string;
  /** Whether the grammar of its tool calls enforces everything that a schema of arguments requires. */
  readonly callsAreExact: boolean;
  /** Whether nothing is enforced of the rules of an answer, so that it is validated before it is emitted; absent: it is. */
  readonly ignoresRules?: boolean;
  /** Whether penalties count the whole answer, whatever a job says; absent: as the job says. */
  readonly countsWholeAnswer?: boolean;
  /** Tokens of its vocabulary, whose ids count up from 0; absent: it is not known. */
  readonly vocabularyTokens?: number;
  /** The media that it reads itself; absent: none. */
  readonly reads?: MediaReading | undefined;
  /**
   * Allows the model to be unloaded, when the run has ended. A second call does nothing.
   * @param keepAliveMs how long it stays unused from now on, until another request says otherwise or it is unloaded, but not shorter than
   * the setting of the model; absent: as before
   */
  release(keepAliveMs?: number): void;
}

/** What every engine's worker reports of a loaded model; an engine may add fields. */
export interface NativeModelInfo {
  /** `cpu`, the GPU's kind, or the kind and state of a remote engine. */
  readonly device: string;
  readonly contextTokens: number;
  readonly slots: number;
  /** What its chat template needs of an ordinary conversation: names of repairs; absent: none. */
  readonly templateRepairs?: readonly string[];
  /** A tool call as the model writes it; absent: no text of the model is read as a call. */
  readonly templateCall?: string;
  /** The marks before and after its reasoning; absent: the model never reasons, or writes it as messages of its own. */
  readonly templateReasoning?: readonly [string, string];
}

/** A model in memory, as `hearth ps` shows it. */
export interface ResidentModel extends NativeModelInfo {
  readonly id: string;
  /** Estimated memory: weights, KV cache of all slots, buffers. */
  readonly bytes: number;
  /** Whether a remote engine runs it: only its vocabulary is in memory here. */
  readonly isRemote?: boolean;
  /** Milliseconds since the epoch. */
  readonly loadedAt: number;
  /** When it is unloaded if it is not used until then; null while it is in use. */
  readonly until: number | null;
}

/**
 * The port to the engine of text models. Implementations: engine/llama (node-llama-cpp in a worker thread), engine/remote (other servers)
 * and the scripted engine of the tests.
 */
export interface Engine {
  /**
   * Loads a model and keeps it in memory until the returned object is released. Concurrent calls load it once.
   * @throws HearthError `model_unavailable` with the reason. @throws the signal's reason when it aborts while the model is waited for.
   */
  load(model: Model, signal?: AbortSignal): Promise<LoadedModel>;
  /**
   * Renders a conversation with the model's chat template and tokenizes it; a raw prompt is only tokenized.
   * @throws HearthError `context_length_exceeded`, naming both numbers, when there is no room for one more token;
   * `invalid_value` for token ids outside the vocabulary, and for a suffix if the model does not support one.
   */
  prompt(model: Model, source: Conversation | RawPrompt): Promise<Prompt>;
  /** Returns the tokens of a text, without any added tokens; control tokens in the text are plain text. */
  tokenize(model: Model, text: string): Promise<TextTokens>;
  /**
   * Runs a job. The caller ensures that at most `slots` jobs of a model run at a time. Aborting ends the stream at the next token
   * or at the next chunk of the prompt; the iterator then ends without a `generation-end`, after the slot has been freed. An engine
   * that evaluates prompts in parts emits `prompt-cut` then, where it has not evaluated the whole prompt.
   */
  generate(model: Model, job: DecodeJob, signal: AbortSignal): AsyncIterable<EngineEvent>;
  /** The models in memory now. */
  residents(): readonly ResidentModel[];
  /** Returns why the engine does not answer at present, in one public phrase; null when it does. */
  problem(): string | null;
  /** Ends every job and frees all memory; no stream that is still being read rejects. */
  close(): Promise<void>;
}
