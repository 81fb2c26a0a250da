import type {
  GenerationEvent,
  Message,
  RawPrompt,
  ReasoningEffort,
  Sampling,
  Tool,
  ToolChoice,
} from "./generation.js";
import type { Model } from "./model.js";

/** A conversation that a prompt is made from. */
export interface Conversation {
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
  readonly reasoningEffort: ReasoningEffort;
  /** Text that the answer begins with: the prompt ends behind it, inside the answer's turn, and with no reasoning open. */
  readonly prefill?: string;
}

/** A rendered and tokenised prompt. */
export interface Prompt {
  /** Token ids of the model's own vocabulary. */
  readonly tokens: Uint32Array;
  /** true when the answer begins inside a reasoning block (the template opened it). */
  readonly startsInReasoning: boolean;
  /** Of a raw prompt: its text. The answer to it is text alone; no reasoning and no calls are looked for in it. */
  readonly rawText?: string;
}

/** A token of a text. */
export interface TextToken {
  /** Its number in the model's vocabulary. */
  readonly id: number;
  /** UTF-8; a character may be spread over several tokens. */
  readonly bytes: readonly number[];
}

/** GBNF rules that schemas were made into; independent of any model. */
export interface AnswerRules {
  /** Right-hand sides by name. */
  readonly rules: ReadonlyMap<string, string>;
  /** The rule of the whole text; null: the text is free. */
  readonly text: string | null;
  /** The rule of each tool's arguments, in the order of the tools. */
  readonly toolArguments: readonly string[];
}

/** Nothing is asked of the answer. */
export const freeRules: AnswerRules = { rules: new Map(), text: null, toolArguments: [] };

/** One generation as the engine sees it. */
export interface DecodeJob {
  readonly prompt: Prompt;
  /** Cached prefixes are shared within one team only. */
  readonly teamId: string;
  readonly sampling: Sampling;
  /** Calls of these are told apart from the text. */
  readonly tools: readonly Tool[];
  readonly toolChoice: ToolChoice;
  /** What the answer, once its reasoning has ended, is held to. */
  readonly rules: AnswerRules;
  /** Ids of tool calls begin with it; their number follows. */
  readonly callIdPrefix: string;
  /** Reasoning is ended after so many tokens; null: by the model alone. */
  readonly reasoningTokensMax: number | null;
  /** Alternatives to tell for each token of the text; null: no log probabilities. */
  readonly topLogprobs: number | null;
  readonly stop: readonly string[];
  readonly maxTokens: number | null;
  readonly maxTokensExcludesReasoning: boolean;
  /** Runs alone and from an empty cache, so that the same request gives the same bytes whatever else the server does. */
  readonly deterministic: boolean;
}

/** A model held in memory for one run. */
export interface LoadedModel {
  /** Tokens one slot holds, prompt and answer together. */
  readonly contextTokens: number;
  /** Generations that can run side by side. */
  readonly slots: number;
  /** Whether the grammar of its tool calls says all that a schema of arguments does. */
  readonly callsAreExact: boolean;
  /** The run is over: the model may leave memory when others need the room. A second call does nothing. */
  release(): void;
}

/** A model in memory, as `hearth ps` shows it. */
export interface ResidentModel {
  readonly id: string;
  /** Estimated memory: weights, KV cache of all slots, buffers. */
  readonly bytes: number;
  /** `cpu`, or the GPU's kind. */
  readonly device: string;
  readonly contextTokens: number;
  readonly slots: number;
  /** Milliseconds since the epoch. */
  readonly loadedAt: number;
  /** When it leaves memory if nobody asks for it; null while it is in use. */
  readonly until: number | null;
}

/**
 * The port to whatever runs a model. Implementations: engine/llama (node-llama-cpp in a worker thread) and
 * engine/scripted.ts (the test engine).
 */
export interface Engine {
  /**
   * Holds a model in memory until the answer is released; it is loaded once, however many ask.
   * @throws HearthError `model_unavailable` with the reason.
   */
  load(model: Model): Promise<LoadedModel>;
  /**
   * Renders a conversation with the model's chat template and tokenises it; a raw prompt is only tokenised.
   * @throws HearthError `context_length_exceeded`, naming both numbers, when it leaves no room for one token;
   * `invalid_value` for token ids that the vocabulary has not, and for a suffix where the model cannot fill in.
   */
  prompt(model: Model, source: Conversation | RawPrompt): Promise<Prompt>;
  /** The tokens that a text is for the model, none added; what looks like a control token is plain text. */
  tokenize(model: Model, text: string): Promise<readonly TextToken[]>;
  /**
   * Runs a job. At most `slots` of a model may run at a time; the caller sees to that. Aborting ends the stream at the next
   * token, or at the next chunk of the prompt; the iterator then ends without a `generation-end`, and only once the slot is
   * really free.
   */
  generate(model: Model, job: DecodeJob, signal: AbortSignal): AsyncIterable<GenerationEvent>;
  /** The models in memory now. */
  residents(): readonly ResidentModel[];
  /** Ends every run and frees all memory; rejects nothing that is still being read. */
  close(): Promise<void>;
}
