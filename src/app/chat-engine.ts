/** The part of the composition root that builds the chat engine and the worker threads next to it. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Config } from "../config.js";
import type { Clock } from "../core/clock.js";
import type { Model } from "../core/model.js";
import type { Random } from "../core/random.js";
import type { Schemas } from "../core/schemas.js";
import type { HostedTokenizer } from "../core/tokenizer.js";
import { createLlamaEngine, type LlamaEngine } from "../engine/llama/engine.js";
import { usableCores, usableMemoryBytes } from "../engine/llama/load/machine.js";
import { contextInMemory } from "../engine/llama/load/memory-estimate.js";
import { withLoadSettings } from "../engine/llama/load/load-settings.js";
import type { LlamaSettings } from "../engine/llama/protocol.js";
import { createSmokeLoad } from "../engine/llama/load/smoke-load.js";
import { keepThreads, type ThreadPoolState } from "../engine/llama/threads/thread-pool.js";
import { ModelMemory } from "../engine/model-memory.js";
import { createSchemas } from "../engine/schemas/schemas.js";
import { createHostedTokenizer } from "../engine/tokenize/tokenize.js";
import type { Logger } from "../core/logger.js";
import type { ContextLimit } from "../models/apply-settings.js";
import { verifyWeights } from "../models/verify.js";

/** The compiled library that keeps the engine's threads; the build makes it where there is a C compiler. */
const threadPoolLibrary = fileURLToPath(new URL("../../dist/native/thread-pool.node", import.meta.url));

/** Time, chance and the log, which most parts are built over. */
export interface SystemDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Builds the memory budget that the models of all engines share. */
export function buildModelMemory({ memoryBytesMax }: Config, { clock }: SystemDeps): ModelMemory {
  return new ModelMemory({ clock, memoryBytesMax: memoryBytesOf(memoryBytesMax) });
}

/** Builds the engine that runs GGUF models. */
export function buildChatEngine(
  config: Config,
  memory: ModelMemory,
  system: SystemDeps,
  given: WorkerUrls,
): LlamaEngine {
  return createLlamaEngine({
    settings: llamaSettings(config),
    clock: system.clock,
    random: system.random,
    memory,
    keepAliveMs: config.keepAliveMs,
    verify: verifyWeights,
    smoke: buildChatCheck(config, system, given),
    workerUrl: llamaWorkerUrl(given),
    log: (level, message) => system.logger[level]({ engine: "llama" }, message),
  });
}

/**
 * Builds the trial of GGUF models in a child process.
 * @param isAwaited whether this process stays alive until a trial has ended
 * @returns a function that returns null when a model can be used, else one public sentence. It never rejects.
 */
export function buildChatCheck(
  config: Config,
  { logger }: { readonly logger: Logger },
  given: WorkerUrls,
  isAwaited = false,
): (model: Model) => Promise<string | null> {
  return createSmokeLoad({
    entry: new URL("load/smoke.js", llamaWorkerUrl(given)),
    settings: llamaSettings(config),
    passedFile: join(config.data, "loaded-models.json"),
    isAwaited,
    log: (message) => logger.warn({ engine: "llama" }, message),
  });
}

function llamaWorkerUrl({ workerUrl }: WorkerUrls): URL {
  return workerUrl ?? new URL("../engine/llama/worker.js", import.meta.url);
}

/** Files of the compiled worker threads, for a program that runs from its sources; absent: those next to this program. */
export interface WorkerUrls {
  /** The chat engine's. */
  readonly workerUrl?: URL;
  /** The image engine's. */
  readonly imagesWorkerUrl?: URL;
  /** The vision engine's. */
  readonly visionWorkerUrl?: URL;
  /** The schema compiler's. */
  readonly schemaWorkerUrl?: URL;
  /** Time limit of one request to the schema compiler, in ms. */
  readonly schemaMsMax?: number;
  /** The hosted models' tokenizer's. */
  readonly tokenizerWorkerUrl?: URL;
  /** The child process that tries image and vision models; null: they are not tried. */
  readonly onnxTrialUrl?: URL | null;
}

/** Builds the compiler of JSON Schemas, which works in a thread of its own. */
export function buildSchemas(
  { schemaObjects }: Config,
  { clock, logger }: SystemDeps,
  { schemaWorkerUrl, schemaMsMax }: WorkerUrls,
): Schemas {
  return createSchemas({
    clock,
    workerUrl: schemaWorkerUrl ?? new URL("../engine/schemas/worker.js", import.meta.url),
    log: (message) => logger.warn({ engine: "schemas" }, message),
    closed: schemaObjects === "closed",
    ...(schemaMsMax === undefined ? {} : { requestMsMax: schemaMsMax }),
  });
}

/** Builds the tokenizer of hosted models, which works in a thread of its own. */
export function buildHostedTokenizer(
  { clock, logger }: SystemDeps,
  { tokenizerWorkerUrl }: WorkerUrls,
): HostedTokenizer {
  return createHostedTokenizer({
    clock,
    workerUrl: tokenizerWorkerUrl ?? new URL("../engine/tokenize/worker.js", import.meta.url),
    log: (message) => logger.warn({ engine: "tokenize" }, message),
  });
}

/** Returns the memory that all models together may take. */
export function memoryBytesOf(memoryBytesMax: number): number {
  return memoryBytesMax === 0 ? usableMemoryBytes() : memoryBytesMax;
}

/** Returns whether the engine's threads are kept between tokens, as in a server on this machine. */
export function keptThreads(setting: Config["threadPool"]): ThreadPoolState {
  return keepThreads(threadPoolFile(setting));
}

function threadPoolFile(setting: Config["threadPool"]): string | null {
  return setting === "off" ? null : threadPoolLibrary;
}

/** Returns the largest context of a model: the configured one, or what it was trained with, as far as memory allows. */
export function contextLimit(config: Config): ContextLimit {
  if (config.contextTokensMax > 0) return config.contextTokensMax;
  const [settings, memoryBytes] = [llamaSettings(config), memoryBytesOf(config.memoryBytesMax)];
  return (cost, load) => contextInMemory(cost, withLoadSettings(settings, load), memoryBytes);
}

/** The engine's settings. It gets no more of the configuration, and no key in particular. */
export function llamaSettings(config: Config): LlamaSettings {
  const { slotsPerModel, contextTokensMax, tokenGapMsMax, prefixCacheBytesMax } = config;
  const { kvCacheType, flashAttention, gpu } = config;
  return {
    cores: usableCores(),
    threads: config.threads === 0 ? null : config.threads,
    threadPoolFile: threadPoolFile(config.threadPool),
    threadPlansFile: join(config.data, "threads.json"),
    slotsPerModel,
    contextTokensMax: contextTokensMax === 0 ? Number.MAX_SAFE_INTEGER : contextTokensMax,
    prefillChunkTokens: config.prefillChunkTokens === 0 ? null : config.prefillChunkTokens,
    tokenGapMsMax,
    prefixCacheFolder: join(config.data, "prefix-cache"),
    prefixCacheBytesMax,
    kvCacheType,
    flashAttention,
    gpu,
  };
}
