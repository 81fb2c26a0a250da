import type { Prices } from "./money.js";

export type Modality = "text" | "image";

/** What a manifest says of a model; the same for built-in models and for what the user brings. */
export interface ModelManifest {
  readonly id: string;
  readonly aliases: readonly string[];
  readonly kind: "chat";
  readonly name: string;
  /** Architecture family, such as `qwen3`. */
  readonly family: string;
  readonly version: string;
  /** Name of the weights, in the manifest's own folder. */
  readonly file: string;
  readonly bytes: number;
  /** Hex digest of the weights; null when it was never computed (a GGUF put into the folder by hand). */
  readonly sha256: string | null;
  /** Tokens a conversation may hold, prompt and answer together. */
  readonly contextTokens: number;
  readonly inputModalities: readonly Modality[];
  readonly outputModalities: readonly Modality[];
  readonly capabilities: {
    readonly reasoning: boolean;
    readonly tools: boolean;
    readonly structuredOutputs: boolean;
  };
  readonly prices: Prices;
  readonly license: string;
  /** Unix seconds. */
  readonly created: number;
  readonly madeBy: string;
}

/** A model the server knows: usable, or listed with the reason why it is not. */
export interface Model {
  readonly manifest: ModelManifest;
  /** Absolute path of the weights. */
  readonly path: string;
  /** null when usable; else one public sentence saying why not. */
  readonly unusable: string | null;
  /** Memory of one token of context, keys and values at 16 bits; 0 where the weights do not say. */
  readonly kvBytesPerToken: number;
  /** `fp_` and 10 hex digits: what made the answer. */
  readonly fingerprint: string;
}

/** The models of this server. */
export interface ModelRegistry {
  /** In order of id. */
  list(): readonly Model[];
  /** By id or alias. @returns null when no model has that name. */
  find(name: string): Model | null;
}
