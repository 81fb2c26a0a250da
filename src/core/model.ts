import type { GenerationRequest, Message, Sampling, StatedSampling } from "./generation.js";
import type { Prices, Ticks } from "./money.js";

export type Modality = "text" | "image" | "audio";

/**
 * The purpose of a model: `chat` generates text, `image` generates images, `vision` describes images, `embedding` turns texts into
 * vectors, `rerank` scores documents for a query.
 */
export type ModelKind = "chat" | "image" | "vision" | "embedding" | "rerank";

/** Whether the weights of such a model are GGUF files. */
export function isGgufKind(kind: ModelKind): kind is Exclude<ModelKind, "image" | "vision"> {
  return kind !== "image" && kind !== "vision";
}

/** A file of a model that has several. */
export interface ModelFile {
  /** In the manifest's folder, such as `unet/model.onnx`. */
  readonly path: string;
  readonly bytes: number;
  /** Hex digest. */
  readonly sha256: string;
}

/** Positions scaled by YaRN, for prompts beyond the length that a model was trained with. */
interface LongContext {
  readonly trainedTokens: number;
  /** Ratio of the longest to the trained context. */
  readonly yarnFactor: number;
}

/** The manifest of a model, built in or added by the user. */
export interface ModelManifest {
  readonly id: string;
  readonly aliases: readonly string[];
  readonly kind: ModelKind;
  readonly name: string;
  /** Architecture family, such as `qwen3`. */
  readonly family: string;
  readonly version: string;
  /** File name of the weights, in the manifest's folder; the index file of a model that has several files. */
  readonly file: string;
  /** Size of all files. */
  readonly bytes: number;
  /** Hex digest of the weights; null when it was never computed (a GGUF put into the folder by hand). */
  readonly sha256: string | null;
  /** All files of a model that has several; absent = they are not listed, or there is only one. */
  readonly files?: readonly ModelFile[];
  /** How an image model generates, if its publisher specifies it; absent = the default for its layout. */
  readonly drawing?: { readonly steps: number; readonly guidanceScale: number };
  /** Maximum tokens of prompt and output together. */
  readonly contextTokens: number;
  /** How prompts beyond what the model was trained with are evaluated: absent = the context is not longer. */
  readonly longContext?: LongContext;
  readonly inputModalities: readonly Modality[];
  readonly outputModalities: readonly Modality[];
  readonly capabilities: {
    readonly reasoning: boolean;
    readonly tools: boolean;
    readonly structuredOutputs: boolean;
  };
  /** How an embedding model may rank documents, too: by the similarity of its vectors; absent: it may not. */
  readonly rerankBy?: "similarity";
  /** Tokens after which its reasoning is ended where a request states no effort and no budget; absent: the setting's. */
  readonly reasoningTokensMax?: number;
  /** Maximum sampled tokens of an answer where neither the request nor the operator states one; absent: none. */
  readonly answerTokensMax?: number;
  readonly prices: Prices;
  readonly license: string;
  /** Unix seconds. */
  readonly created: number;
  readonly madeBy: string;
}

/** A LoRA adapter, applied to the weights of a model. */
export interface Adapter {
  /** Absolute path of the GGUF file. */
  readonly path: string;
  /** Size of the file. */
  readonly bytes: number;
  /** When the file was changed, in milliseconds since the epoch. */
  readonly modifiedTime: number;
  /** Strength; 0 = no effect. */
  readonly scale: number;
}

/** The file that makes images or sound readable for a model: llama.cpp's mmproj. */
export interface ProjectorFile {
  /** Absolute path of the GGUF file. */
  readonly path: string;
  /** Size of the file. */
  readonly bytes: number;
  /** When the file was changed, in milliseconds since the epoch. */
  readonly modifiedTime: number;
  readonly images: boolean;
  readonly audio: boolean;
}

/** Where the tensors of a model are, on a machine with a GPU. */
export interface Placement {
  /** Layers, from the first on, whose experts stay in main memory. */
  readonly cpuExperts?: number | "all";
  /** Regular expressions: tensors whose names they match stay in main memory. */
  readonly cpuTensors?: readonly string[];
  /** The GPU that has the model where it is not split, or what cannot be split. */
  readonly mainGpu?: number;
  /** How several GPUs share the model. */
  readonly gpuSplit?: "none" | "layer" | "row";
  /** Parts of the model on each GPU, in proportion. */
  readonly gpuShares?: readonly number[];
}

/** How the engine loads one model; what is absent is as the settings of the server say. */
export interface LoadSettings {
  /** Generations at a time. */
  readonly slots?: number;
  readonly kvCacheType?: "f16" | "q8_0" | "q4_0";
  /** Layers that are computed on the GPU. */
  readonly gpuLayers?: number | "auto" | "max";
  /** Where its tensors are, beyond how many layers are on the GPU. */
  readonly placement?: Placement;
  /** Positions are scaled for a context of this length. */
  readonly yarn?: LongContext & { readonly architecture: string; readonly contextTokens: number };
  /** Text of the chat template that replaces the model's own. */
  readonly template?: string;
  readonly adapters?: readonly Adapter[];
  /** Absent: the model reads text alone. */
  readonly projector?: ProjectorFile;
  /** How long the model stays in memory unused, in ms. */
  readonly keepAliveMs?: number;
}

type SamplingDefaults = {
  readonly [Name in keyof Omit<Sampling, "logitBias" | "repeatPenalty" | "penaltyTokens">]?: Sampling[Name];
};

/** What requests to one model mean where they do not say. */
export interface RequestDefaults {
  /** System message of a conversation that has none. */
  readonly system?: string;
  readonly sampling?: SamplingDefaults;
  /** Maximum sampled tokens of an answer. */
  readonly maxTokens?: number;
  /** The same where the request's dialect has no default of its own either. */
  readonly maxTokensOtherwise?: number;
}

/** A request that leaves nothing open. A `maxTokens` of null means as many as the context holds. */
export interface CompleteRequest extends GenerationRequest {
  readonly sampling: Sampling;
  /** What the request or the operator states of the sampling: an engine with defaults of its own decides the rest. */
  readonly statedSampling: StatedSampling;
}

/** Returns the request as the model answers it. */
export function completeRequest(request: GenerationRequest, { defaults = {} }: Model): CompleteRequest {
  return {
    ...request,
    messages: request.raw === undefined ? withSystem(request.messages, defaults) : request.messages,
    sampling: completeSampling(request.sampling, defaults, request.penaltyTokensUnstated),
    statedSampling: joinSampling(request.sampling, defaults),
    ...completeLimit(request, defaults),
  };
}

/** Returns the same model at a part of its prices, each rounded up to a whole tick. */
export function atPercent(model: Model, percent: number): Model {
  if (percent === 100) return model;
  const part = (ticks: Ticks): Ticks => Math.ceil((ticks * percent) / 100);
  const { prices } = model.manifest;
  const reduced: Prices = {
    promptTextTokenTicks: part(prices.promptTextTokenTicks),
    cachedPromptTextTokenTicks: part(prices.cachedPromptTextTokenTicks),
    completionTextTokenTicks: part(prices.completionTextTokenTicks),
    imageTicks: prices.imageTicks === undefined ? undefined : part(prices.imageTicks),
  };
  return { ...model, manifest: { ...model.manifest, prices: reduced } };
}

/** Returns how the tokens of a request are sampled. @param penaltyTokensUnstated as in GenerationRequest */
export function completeSampling(
  sampling: StatedSampling,
  defaults: RequestDefaults,
  penaltyTokensUnstated?: number,
): Sampling {
  const stated = joinSampling(sampling, defaults);
  return {
    temperature: stated.temperature ?? 1,
    topP: stated.topP ?? 1,
    seed: stated.seed ?? null,
    frequencyPenalty: stated.frequencyPenalty ?? 0,
    presencePenalty: stated.presencePenalty ?? 0,
    topK: stated.topK ?? null,
    minP: stated.minP ?? 0,
    repeatPenalty: stated.repeatPenalty,
    penaltyTokens: stated.penaltyTokens === undefined ? penaltyTokensUnstated : stated.penaltyTokens,
    logitBias: stated.logitBias ?? {},
  };
}

/** Returns what a request states, and what the operator does where it states nothing. A request can state that there is no limit. */
function joinSampling(stated: StatedSampling, { sampling = {} }: RequestDefaults): StatedSampling {
  return {
    ...stated,
    temperature: stated.temperature ?? sampling.temperature,
    topP: stated.topP ?? sampling.topP,
    seed: stated.seed ?? sampling.seed,
    frequencyPenalty: stated.frequencyPenalty ?? sampling.frequencyPenalty,
    presencePenalty: stated.presencePenalty ?? sampling.presencePenalty,
    topK: stated.topK === undefined ? sampling.topK : stated.topK,
    minP: stated.minP ?? sampling.minP,
  };
}

function completeLimit(
  { maxTokens, maxTokensUnstated, maxTokensExcludesReasoning }: GenerationRequest,
  defaults: RequestDefaults,
) {
  if (maxTokens !== null) return { maxTokens, maxTokensExcludesReasoning };
  const limit = defaults.maxTokens ?? maxTokensUnstated ?? defaults.maxTokensOtherwise ?? null;
  return { maxTokens: limit, maxTokensExcludesReasoning: false };
}

/** Puts the model's system message before a conversation that has none. */
function withSystem(messages: readonly Message[], { system }: RequestDefaults): readonly Message[] {
  if (system === undefined || messages.some(({ role }) => role === "system")) return messages;
  return [{ role: "system", content: system }, ...messages];
}

/** A model of this server: usable, or listed with the reason why it is not. */
export interface Model {
  readonly manifest: ModelManifest;
  /** Absolute path of the weights. */
  readonly path: string;
  /** null when usable; else a public sentence that gives the reason. */
  readonly unusable: string | null;
  /** Why its projector is not used, so that it reads text alone: a public clause; absent: there is none, or it is used. */
  readonly projectorProblem?: string;
  /** Absolute path of the projector that belongs to it by its place and name, used or not; absent: none. */
  readonly projectorBeside?: string;
  /**
   * Memory of one token of context: 16-bit keys and values, and what is kept of each token that is embedded; 0 when the weights do not
   * specify it.
   */
  readonly kvBytesPerToken: number;
  /** Whether it computes in ways that need its weights in their plain layout, whatever layout the processor has; absent: no. */
  readonly needsPlainWeights?: boolean;
  /** Tokens of context that the weights were trained with, where they specify it and no manifest does. */
  readonly trainedTokens?: number;
  /** `fp_` and 10 hex digits that identify the weights, the engine and how it loads them. */
  readonly fingerprint: string;
  /** Absent: as the settings of the server say. */
  readonly load?: LoadSettings;
  /** Absent: none. */
  readonly defaults?: RequestDefaults;
  /** Where it runs, if not in this process; its file serves for vocabulary and template then. */
  readonly remote?: RemotePlacement;
  /** The tokenizer.json that `path` was made from, which has a vocabulary and a template only; absent: `path` has weights. */
  readonly tokenizerFile?: string;
}

/** A remote engine that runs a model. */
export interface RemotePlacement {
  /** The engine, as settings and messages name it. */
  readonly engine: string;
  /** Identity of the engine: two engines may have the same name. */
  readonly engineId: string;
  /** What the engine calls the model. */
  readonly modelName: string;
  /**
   * What holds for other models and not for this one, because its server is sent texts instead of tokens: names that the header
   * `x-hearth-not-guaranteed` has. Empty: all holds.
   */
  readonly notGuaranteed: readonly string[];
  /** Tokens of prompt and answer together, of a model that has no file here; null: there is one. */
  readonly contextTokens: number | null;
}

/** Identifies what an engine has in memory of a model: it changes with the weights and with how they are loaded. */
export function loadKey({ manifest, fingerprint }: Model): string {
  return `${manifest.id} ${fingerprint}`;
}

/** Returns the model without its projector: it reads text alone. */
export function dropProjector(model: Model): Model {
  const { manifest, load } = model;
  if (load?.projector === undefined) return model;
  const inputModalities = manifest.inputModalities.filter((each) => each === "text");
  return {
    ...model,
    manifest: { ...manifest, inputModalities },
    load: { ...load, projector: undefined },
  };
}

/** The models of this server. */
export interface ModelRegistry {
  /** In order of id. */
  list(): readonly Model[];
  /** Finds a model by id or alias; null when there is none. */
  find(name: string): Model | null;
}
