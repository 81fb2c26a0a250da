import type { HearthError } from "../../core/errors.js";
import type { EngineEvent } from "../../core/generation.js";
import type { SeededJob } from "../language/seeded-job.js";

/** How the worker uses the machine. */
export interface LlamaSettings {
  /** Cores that all models together may use. */
  readonly cores: number;
  /** Threads of one decode; null = by a trial when a model is first loaded, up to `cores`. */
  readonly threads: number | null;
  /** Folder of the compiled libraries (engine/native); null does without. */
  readonly nativeFolder: string | null;
  /** Whether threads are kept between tokens, where the compiled libraries can. */
  readonly keepsThreads: boolean;
  /** Where the results of trials are kept; null tries nothing. */
  readonly threadPlansFile: string | null;
  readonly slotsPerModel: number;
  /** Maximum number of tokens in one slot, whatever the model supports. */
  readonly contextTokensMax: number;
  /** Tokens of one image at most, for models that can choose; null = depends on the device. */
  readonly imageTokensMax: number | null;
  /** Prompt tokens evaluated between two tokens of another generation; null = depends on the device. */
  readonly prefillChunkTokens: number | null;
  /** Time between two tokens of a decoding generation that a prompt chunk should not exceed. */
  readonly tokenGapMsMax: number;
  /** Folder for prefixes that lose their slot; null stores none. */
  readonly prefixCacheFolder: string | null;
  readonly prefixCacheBytesMax: number;
  /** Bytes of them that are in memory, too. */
  readonly prefixMemoryBytesMax: number;
  readonly kvCacheType: "f16" | "q8_0" | "q4_0";
  readonly flashAttention: "auto" | "on" | "off";
  /** Whether text that a grammar forces is evaluated at once. */
  readonly forcedTokens: "on" | "off";
  /** Whether what an answer repeats is looked up and evaluated at once, as far as it pays. */
  readonly promptLookup: "auto" | "off";
  readonly gpu: "auto" | "off" | "cuda" | "vulkan" | "metal";
}

/** `key` is the load key of a loaded model. */
export type LlamaRequest =
  | { readonly type: "embed"; readonly key: string; readonly inputs: readonly Uint32Array[] }
  /** Its news are events. */
  | { readonly type: "generate"; readonly key: string; readonly decode: SeededJob };

/** Results by the type of the request. */
export interface LlamaReplies {
  readonly embed: readonly Float32Array[];
  /** Sent when the job has ended and its slot is free. */
  readonly generate: void;
}

/** What happened to one job in one tick; an update with `done` is the last, sent when the slot is free. */
export interface JobUpdate {
  readonly job: number;
  readonly events: readonly EngineEvent[];
  readonly error: HearthError | null;
  readonly done: boolean;
}
