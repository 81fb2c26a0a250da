/** The part of the composition root that derives from the configuration what GGUF models are loaded with. */
import { join } from "node:path";
import type { Config } from "../../config/config.js";
import { limitMemory, usableCores } from "../../engine/worker/machine.js";
import { contextInMemory } from "../../engine/llama/load/memory-estimate.js";
import { withLoadSettings } from "../../engine/llama/load/load-settings.js";
import type { LlamaSettings } from "../../engine/llama/protocol.js";
import { nativeFolder } from "../../engine/native/libraries.js";
import type { ContextLimit } from "../../models/apply-settings.js";

/** Returns the largest context of a model: the configured one, or what it was trained with, as far as memory allows. */
export function contextLimit(config: Config): ContextLimit {
  if (config.contextTokensMax > 0) return config.contextTokensMax;
  const [settings, memoryBytes] = [llamaSettings(config), limitMemory(config.memoryBytesMax)];
  return (cost, load) => contextInMemory(cost, withLoadSettings(settings, load), memoryBytes);
}

/** The engine's settings. It gets no more of the configuration, and no key in particular. */
export function llamaSettings(config: Config): LlamaSettings {
  const { slotsPerModel, contextTokensMax, tokenGapMsMax, prefixCacheBytesMax, prefixMemoryBytesMax } =
    config;
  const { kvCacheType, flashAttention, forcedTokens, promptLookup, gpu } = config;
  return {
    cores: usableCores(),
    threads: config.threads === 0 ? null : config.threads,
    nativeFolder,
    keepsThreads: config.threadPool === "auto",
    threadPlansFile: join(config.data, "threads.json"),
    slotsPerModel,
    contextTokensMax: contextTokensMax === 0 ? Number.MAX_SAFE_INTEGER : contextTokensMax,
    prefillChunkTokens: config.prefillChunkTokens === 0 ? null : config.prefillChunkTokens,
    imageTokensMax: config.imageTokensMax === 0 ? null : config.imageTokensMax,
    tokenGapMsMax,
    prefixCacheFolder: join(config.data, "prefix-cache"),
    prefixCacheBytesMax,
    prefixMemoryBytesMax,
    kvCacheType,
    flashAttention,
    forcedTokens,
    promptLookup,
    gpu,
  };
}
