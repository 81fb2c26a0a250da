import type { InputSource } from "../../core/embeddings/request.js";
import type { Conversation, DecodeJob, Prompt } from "../../core/engine.js";
import type { HearthError } from "../../core/errors.js";
import type { EngineEvent, RawPrompt } from "../../core/generation.js";
import type { Model } from "../../core/model.js";
import type { PackedTokens } from "../language/packed-tokens.js";
import type { RemoteReport, RemoteTarget } from "../remote/protocol.js";

/** How the worker uses the machine. */
export interface LlamaSettings {
  /** Cores that all models together may use. */
  readonly cores: number;
  /** Threads of one decode; null = by a trial when a model is first loaded, up to `cores`. */
  readonly threads: number | null;
  /** The compiled library that keeps threads between tokens (thread-pool.c); null does without. */
  readonly threadPoolFile: string | null;
  /** The compiled library that loads weights in their plain layout (plain-weights.c); null does without. */
  readonly plainWeightsFile: string | null;
  /** Compiled library that bounds what a grammar may cost for one token; null to do without. */
  readonly grammarWorkFile: string | null;
  /** Where the results of trials are kept; null tries nothing. */
  readonly threadPlansFile: string | null;
  readonly slotsPerModel: number;
  /** Maximum number of tokens in one slot, whatever the model supports. */
  readonly contextTokensMax: number;
  /** Prompt tokens evaluated between two tokens of another generation; null = depends on the device. */
  readonly prefillChunkTokens: number | null;
  /** Time between two tokens of a decoding generation that a prompt chunk should not exceed. */
  readonly tokenGapMsMax: number;
  /** Folder for prefixes that lose their slot; null stores none. */
  readonly prefixCacheFolder: string | null;
  readonly prefixCacheBytesMax: number;
  readonly kvCacheType: "f16" | "q8_0" | "q4_0";
  readonly flashAttention: "auto" | "on" | "off";
  /** Whether text that a grammar forces is evaluated at once. */
  readonly forcedTokens: "on" | "off";
  /** Whether what an answer repeats is looked up and evaluated at once, as far as it pays. */
  readonly promptLookup: "auto" | "off";
  readonly gpu: "auto" | "off" | "cuda" | "vulkan" | "metal";
}

/** What the worker reports of a loaded model. */
export interface LlamaModelInfo {
  readonly contextTokens: number;
  /** Of a chat model: no text of n bytes has fewer than n / longestTokenBytes tokens. */
  readonly longestTokenBytes?: number;
  readonly slots: number;
  /** `cpu`, or the GPU's kind. */
  readonly device: string;
  /** What its chat template needs of an ordinary conversation: names of repairs. */
  readonly templateRepairs: readonly string[];
  /** A tool call as a chat model writes it. */
  readonly templateCall?: string;
  /** The marks before and after its reasoning, if it has any. */
  readonly templateReasoning?: readonly [string, string];
  /** Whether the grammar of its tool calls expresses the whole schema of the arguments. */
  readonly callsAreExact: boolean;
  /** Absent for models that generate nothing. */
  readonly vocabularyTokens?: number;
  /** Length of its vectors; 0 for a chat model, 1 for a rerank model. */
  readonly dimensions: number;
}

/** A job as it is sent to the worker, with the seed chosen. */
export interface SeededJob extends DecodeJob {
  /** 32-bit unsigned. */
  readonly seed: number;
}

/** `key` is the load key of a loaded model. */
export type LlamaRequest =
  | { readonly type: "load"; readonly model: Model }
  | { readonly type: "unload"; readonly model: Model }
  | { readonly type: "prompt"; readonly key: string; readonly source: Conversation | RawPrompt }
  | { readonly type: "tokenize"; readonly key: string; readonly text: string }
  | { readonly type: "inputs"; readonly key: string; readonly source: InputSource }
  | { readonly type: "embed"; readonly key: string; readonly inputs: readonly Uint32Array[] }
  /** Its news are events. */
  | { readonly type: "generate"; readonly key: string; readonly decode: SeededJob }
  /** The same, of a model that a remote engine runs. */
  | {
      readonly type: "generate-remote";
      readonly key: string;
      readonly decode: SeededJob;
      readonly target: RemoteTarget;
    };

/** Results by the type of the request. */
export interface LlamaReplies {
  readonly load: LlamaModelInfo;
  readonly unload: void;
  readonly prompt: Prompt;
  readonly tokenize: PackedTokens;
  readonly inputs: readonly Uint32Array[];
  readonly embed: readonly Float32Array[];
  /** Sent when the job has ended and its slot is free. */
  readonly generate: void;
  readonly "generate-remote": RemoteReport;
}

/** What happened to one job in one tick; an update with `done` is the last, sent when the slot is free. */
export interface JobUpdate {
  readonly job: number;
  readonly events: readonly EngineEvent[];
  readonly error: HearthError | null;
  readonly done: boolean;
}
