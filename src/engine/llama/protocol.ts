import type { Conversation, DecodeJob, Prompt } from "../../core/engine.js";
import type { ErrorKind } from "../../core/errors.js";
import type { GenerationEvent, RawPrompt } from "../../core/generation.js";
import type { Model } from "../../core/model.js";
import type { PackedTokens } from "../packed-tokens.js";

/** How the worker uses the machine; numbers are final, nothing is left to the library's defaults. */
export interface LlamaSettings {
  /** Cores that all models together may keep busy. */
  readonly cores: number;
  /** Threads of one decode; null = by the size of the model, up to `cores`. */
  readonly threads: number | null;
  readonly slotsPerModel: number;
  /** Bound on the tokens one slot holds, whatever the model allows. */
  readonly contextTokensMax: number;
  /** Prompt tokens evaluated between two tokens of a neighbour; null = as suits the device. */
  readonly prefillChunkTokens: number | null;
  /** Time between two tokens of a decoding neighbour that a chunk of a prompt should not exceed. */
  readonly tokenGapMsMax: number;
  /** Where the prefixes go that lose their slot; null keeps none. */
  readonly prefixCacheFolder: string | null;
  readonly prefixCacheBytesMax: number;
  readonly kvCacheType: "f16" | "q8_0" | "q4_0";
  readonly flashAttention: "auto" | "on" | "off";
  readonly gpu: "auto" | "off" | "cuda" | "vulkan" | "metal";
}

/** What the worker says of a model it has loaded. */
export interface NativeModel {
  readonly contextTokens: number;
  readonly slots: number;
  /** `cpu`, or the GPU's kind. */
  readonly device: string;
  /** Whether the grammar of its tool calls says all that a schema of arguments does. */
  readonly callsAreExact: boolean;
}

/** A generation as it crosses to the worker: every choice of chance is made already. */
export interface SeededJob extends DecodeJob {
  /** 32-bit unsigned. */
  readonly seed: number;
}

/** Calls that are answered by one reply with the same `call`; `id` names a model that was loaded. */
export type Call =
  | { readonly type: "load"; readonly call: number; readonly model: Model }
  | { readonly type: "unload"; readonly call: number; readonly model: Model }
  | {
      readonly type: "prompt";
      readonly call: number;
      readonly id: string;
      readonly source: Conversation | RawPrompt;
    }
  | { readonly type: "tokenize"; readonly call: number; readonly id: string; readonly text: string }
  | { readonly type: "close"; readonly call: number };

export type ToWorker =
  | Call
  | { readonly type: "generate"; readonly job: number; readonly id: string; readonly decode: SeededJob }
  | { readonly type: "cancel"; readonly job: number };

/** A HearthError without its cause: causes are logged where they happen. */
export interface WireError {
  readonly kind: ErrorKind;
  readonly message: string;
  readonly param: string | null;
  readonly code: string | null;
  /** What really happened, for the log. */
  readonly cause: string | null;
}

/** What one job met in one tick; `done` comes last, once the slot is free. */
export interface JobNews {
  readonly job: number;
  readonly events: readonly GenerationEvent[];
  readonly error: WireError | null;
  readonly done: boolean;
}

export type FromWorker =
  | { readonly type: "loaded"; readonly call: number; readonly loaded: NativeModel }
  | { readonly type: "prompted"; readonly call: number; readonly prompt: Prompt }
  | { readonly type: "tokenized"; readonly call: number; readonly tokens: PackedTokens }
  | { readonly type: "done"; readonly call: number }
  | { readonly type: "failed"; readonly call: number; readonly error: WireError }
  | { readonly type: "news"; readonly news: readonly JobNews[] }
  | { readonly type: "log"; readonly level: "warn" | "error"; readonly message: string };
