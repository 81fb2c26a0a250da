import type { Prices } from "./money.js";

export type Modality = "text" | "image";

/** What a model is for: it answers conversations, it draws, or it describes pictures. */
export type ModelKind = "chat" | "image" | "vision";

/** One of several files of a model. */
export interface ModelFile {
  /** In the manifest's folder, such as `unet/model.onnx`. */
  readonly path: string;
  readonly bytes: number;
  /** Hex digest. */
  readonly sha256: string;
}

/** What a manifest says of a model; the same for built-in models and for what the user brings. */
export interface ModelManifest {
  readonly id: string;
  readonly aliases: readonly string[];
  readonly kind: ModelKind;
  readonly name: string;
  /** Architecture family, such as `qwen3`. */
  readonly family: string;
  readonly version: string;
  /** Name of the weights, in the manifest's own folder; of a model of several files the one that tells of the others. */
  readonly file: string;
  /** Of all its files. */
  readonly bytes: number;
  /** Hex digest of the weights; null when it was never computed (a GGUF put into the folder by hand). */
  readonly sha256: string | null;
  /** Every file of a model of several; absent: they are not known one by one, or there is but the one. */
  readonly files?: readonly ModelFile[] | undefined;
  /** How a model draws where its maker says so; absent: as models of its layout do. */
  readonly drawing?: { readonly steps: number; readonly guidanceScale: number } | undefined;
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
