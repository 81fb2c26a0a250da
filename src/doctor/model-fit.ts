/** Judges whether a model fits into memory, and guesses how fast it is. */
import type { Config } from "../config/config.js";
import type { Model } from "../core/model.js";
import { limitMemory, threadsFor, usableCores } from "../engine/worker/machine.js";
import { cacheBytesPerToken, memoryEstimate, countSequences } from "../engine/llama/load/memory-estimate.js";
import type { LlamaSettings } from "../engine/llama/protocol.js";
import { withLoadSettings } from "../engine/llama/load/load-settings.js";
import { measureBandwidth } from "../models/fit/bandwidth.js";
import { freeMemoryBytes } from "../models/fit/free-memory.js";
import { bytesPerDecodedToken, tokensPerSecond } from "../models/fit/speed.js";
import { judgeFit, judgeSize, type FitAnswer } from "../models/fit/verdict.js";
import type { ModelDetails } from "../models/library/details.js";
import { systemClock } from "../system/clock.js";
import { gpuMemory, type GpuMemory } from "../engine/gpu/memory.js";

/** A model that the running server has in memory. */
export interface KnownInMemory {
  readonly id: string;
  readonly bytes: number;
  /** Whether it answers now, so that it cannot leave memory. */
  readonly isUsed: boolean;
}

export interface MemoryReport {
  /** What models can have now: `free` and what idle models would leave, at most `limit` without the models in use. */
  readonly availableBytes: number;
  /** What all models together may have: the setting memoryBytesMax. */
  readonly limitBytes: number;
  /** Free memory of the machine, or of the container. */
  readonly freeBytes: number;
  /** Bytes of models that the server would unload. */
  readonly idleModelBytes: number;
  readonly usedModelBytes: number;
  readonly gpu: GpuMemory | null;
}

/** What a model takes of each memory. */
interface PlacedBytes {
  /** The weights that stay in main memory. */
  readonly mainBytes: number;
  /** All the rest, with the context. */
  readonly gpuBytes: number;
}

export interface FitReport extends FitAnswer {
  readonly contextTokens: number;
  /** Tokens that it was trained with, where the file says it. */
  readonly trainedTokens: number | null;
  readonly weightsBytes: number;
  /** What the context takes: the KV cache of all slots; 0 for a model without one. */
  readonly cacheBytes: number;
  readonly memory: MemoryReport;
  /** Where the settings of the model keep weights in main memory beside a GPU; null: they do not, or there is no GPU. */
  readonly placed: PlacedBytes | null;
  readonly isInMemory: boolean;
  /** The approximate speed of one answer on a CPU; null for other models than chat models, on a GPU, or when it cannot be measured. */
  readonly tokensPerSecond: number | null;
  /** Measured bandwidth of memory, in bytes a second. */
  readonly bandwidth: number | null;
}

/** About a model of which only the size is known. */
export interface SizeReport extends ReturnType<typeof judgeSize> {
  readonly memory: MemoryReport;
}

export interface FitOptions {
  /** Default: the context that it would be loaded with. */
  readonly contextTokens?: number;
  readonly inMemory: readonly KnownInMemory[];
  /** The compiled thread that measures the bandwidth of memory; absent: it is not measured, and the speed not estimated. */
  readonly bandwidthWorkerUrl?: URL;
}

/** Judges whether a model fits into the memory that it can have now. @param engine the settings of the engine that would load it */
export async function measureFit(
  config: Config,
  engine: LlamaSettings,
  model: Model,
  details: ModelDetails,
  options: FitOptions,
): Promise<FitReport> {
  const memory = await memoryNow(config, options.inMemory);
  const { manifest, trainedTokens = null } = model;
  const most = trainedTokens ?? manifest.contextTokens;
  const contextTokens = Math.min(options.contextTokens ?? manifest.contextTokens, most);
  const settings = { ...engine, contextTokensMax: Number.MAX_SAFE_INTEGER };
  const needs = (tokens: number, isSmallCache: boolean): number => {
    const load = isSmallCache ? { ...model.load, kvCacheType: "q8_0" as const } : model.load;
    return memoryEstimate({ ...model, load, manifest: { ...manifest, contextTokens: tokens } }, settings);
  };
  const own = withLoadSettings(settings, model.load);
  const isChat = manifest.kind === "chat";
  const perToken = isChat
    ? countSequences(own) * cacheBytesPerToken(model.kvBytesPerToken, own)
    : model.kvBytesPerToken;
  const speed = await estimateSpeed(config, model, details, memory, options);
  const mainBytes = details.tensors?.namedBytes ?? 0;
  const answer = judgeFit({ contextTokens, fits: (bytes) => fitsInto(memory, bytes, mainBytes), needs });
  const isPlaced = memory.gpu !== null && mainBytes > 0;
  return {
    ...answer,
    placed: isPlaced ? { mainBytes, gpuBytes: answer.neededBytes - mainBytes } : null,
    contextTokens,
    trainedTokens,
    weightsBytes: manifest.bytes,
    cacheBytes: Math.ceil(perToken * contextTokens),
    memory,
    isInMemory: options.inMemory.some(({ id }) => id === manifest.id),
    ...speed,
  };
}

/**
 * Returns whether the memory has room for a model. Without a placement, what does not fit into the GPU is in main memory.
 * @param bytes of the model @param mainBytes of its weights that stay in main memory
 */
export function fitsInto(memory: MemoryReport, bytes: number, mainBytes: number): boolean {
  const { availableBytes, freeBytes, idleModelBytes, gpu } = memory;
  if (bytes > availableBytes) return false;
  if (gpu === null || mainBytes === 0) return true;
  // Where an idle model is does not show: each memory may get its bytes back.
  return mainBytes <= freeBytes + idleModelBytes && bytes - mainBytes <= gpu.freeBytes + idleModelBytes;
}

/** Judges a model of which only the size is known, before it is downloaded. @param bytes of its files */
export async function judgeBytes(config: Config, bytes: number): Promise<SizeReport> {
  const memory = await memoryNow(config, []);
  // Other models leave memory: what counts is what one model can ever have.
  return { ...judgeSize(bytes, memory.limitBytes), memory };
}

async function memoryNow(config: Config, inMemory: readonly KnownInMemory[]): Promise<MemoryReport> {
  const sumBytes = (isUsed: boolean): number =>
    inMemory.filter((model) => model.isUsed === isUsed).reduce((total, { bytes }) => total + bytes, 0);
  const [idleModelBytes, usedModelBytes] = [sumBytes(false), sumBytes(true)];
  const limitBytes = limitMemory(config.memoryBytesMax);
  const freeBytes = freeMemoryBytes();
  const gpu = await gpuMemory(config);
  const free = freeBytes + (gpu?.freeBytes ?? 0) + idleModelBytes;
  const availableBytes = Math.max(0, Math.min(limitBytes - usedModelBytes, free));
  return { availableBytes, limitBytes, freeBytes, idleModelBytes, usedModelBytes, gpu };
}

async function estimateSpeed(
  config: Config,
  { manifest }: Model,
  details: ModelDetails,
  { gpu }: MemoryReport,
  { bandwidthWorkerUrl: workerUrl }: FitOptions,
) {
  const bytesPerToken = bytesPerDecodedToken(details);
  const isGuessed = gpu === null && manifest.kind === "chat";
  if (workerUrl === undefined || !isGuessed || bytesPerToken === null)
    return { tokensPerSecond: null, bandwidth: null };
  const threads = config.threads === 0 ? threadsFor(manifest.bytes, usableCores()) : config.threads;
  const bandwidth = await measureBandwidth(threads, { clock: systemClock, workerUrl });
  const speed = bandwidth === null ? null : tokensPerSecond(bytesPerToken, bandwidth);
  return { tokensPerSecond: speed, bandwidth };
}
