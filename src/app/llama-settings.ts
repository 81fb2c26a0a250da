/** The part of the composition root that derives from the configuration what GGUF models are loaded with. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Config } from "../config/config.js";
import { usableCores, usableMemoryBytes } from "../engine/worker/machine.js";
import { contextInMemory } from "../engine/llama/load/memory-estimate.js";
import { withLoadSettings } from "../engine/llama/load/load-settings.js";
import type { LlamaSettings } from "../engine/llama/protocol.js";
import { keepThreads, type ThreadPoolState } from "../engine/native/thread-pool.js";
import type { ContextLimit } from "../models/apply-settings.js";

/** Returns the memory that all models together may take. */
export function limitModelMemory(memoryBytesMax: number): number {
  return memoryBytesMax === 0 ? usableMemoryBytes() : memoryBytesMax;
}

/** Returns the largest context of a model: the configured one, or what it was trained with, as far as memory allows. */
export function contextLimit(config: Config): ContextLimit {
  if (config.contextTokensMax > 0) return config.contextTokensMax;
  const [settings, memoryBytes] = [llamaSettings(config), limitModelMemory(config.memoryBytesMax)];
  return (cost, load) => contextInMemory(cost, withLoadSettings(settings, load), memoryBytes);
}

/** The engine's settings. It gets no more of the configuration, and no key in particular. */
export function llamaSettings(config: Config): LlamaSettings {
  const { slotsPerModel, contextTokensMax, tokenGapMsMax, prefixCacheBytesMax } = config;
  const { kvCacheType, flashAttention, forcedTokens, promptLookup, gpu } = config;
  return {
    cores: usableCores(),
    threads: config.threads === 0 ? null : config.threads,
    threadPoolFile: threadPoolFile(config.threadPool),
    plainWeightsFile: nativeLibrary("plain-weights"),
    grammarWorkFile: nativeLibrary("grammar-work"),
    threadPlansFile: join(config.data, "threads.json"),
    slotsPerModel,
    contextTokensMax: contextTokensMax === 0 ? Number.MAX_SAFE_INTEGER : contextTokensMax,
    prefillChunkTokens: config.prefillChunkTokens === 0 ? null : config.prefillChunkTokens,
    tokenGapMsMax,
    prefixCacheFolder: join(config.data, "prefix-cache"),
    prefixCacheBytesMax,
    kvCacheType,
    flashAttention,
    forcedTokens,
    promptLookup,
    gpu,
  };
}

/** Returns whether the engine's threads are kept between tokens, as in a server on this machine. */
export function keptThreads(setting: Config["threadPool"]): ThreadPoolState {
  return keepThreads(threadPoolFile(setting));
}

function threadPoolFile(setting: Config["threadPool"]): string | null {
  return setting === "off" ? null : nativeLibrary("thread-pool");
}

/** Returns the file of a library that the build compiles where there is a C compiler. */
function nativeLibrary(name: string): string {
  return fileURLToPath(new URL(`../../dist/native/${name}.node`, import.meta.url));
}
