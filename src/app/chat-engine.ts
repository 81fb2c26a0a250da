/** The part of the composition root that builds the engines from the configuration. */
import { join } from "node:path";
import type { Config } from "../config.js";
import type { Clock } from "../core/clock.js";
import type { Engine } from "../core/engine.js";
import type { Random } from "../core/random.js";
import { createLlamaEngine } from "../engine/llama/engine.js";
import { usableCores, usableMemoryBytes } from "../engine/llama/load/machine.js";
import type { LlamaSettings } from "../engine/llama/protocol.js";
import { createSmokeLoad } from "../engine/llama/load/smoke-load.js";
import { ModelMemory } from "../engine/model-memory.js";
import { createSchemas } from "../engine/schemas/schemas.js";
import { createHostedTokenizer } from "../engine/tokenize/tokenize.js";
import type { Logger } from "../core/logger.js";
import { verifyWeights } from "../models/verify.js";

/** What engines are built over, beside their settings. */
export type Machine = { readonly clock: Clock; readonly random: Random; readonly logger: Logger };

/** The memory that the models of all engines share. */
export function buildMemory({ memoryBytesMax }: Config, { clock }: Machine): ModelMemory {
  const most = memoryBytesMax === 0 ? usableMemoryBytes() : memoryBytesMax;
  return new ModelMemory({ clock, memoryBytesMax: most });
}

/** The engine that runs chat models. */
export function buildEngine(config: Config, memory: ModelMemory, machine: Machine, given: Workers): Engine {
  const settings = llamaSettings(config);
  const workerUrl = given.workerUrl ?? new URL("../engine/llama/worker.js", import.meta.url);
  const log = (level: "warn" | "error", message: string): void =>
    machine.logger[level]({ engine: "llama" }, message);
  const smoke = createSmokeLoad({
    entry: new URL("load/smoke.js", workerUrl),
    settings,
    passedFile: join(config.data, "loaded-models.json"),
    log: (message) => log("warn", message),
  });
  return createLlamaEngine({
    settings,
    clock: machine.clock,
    random: machine.random,
    memory,
    keepAliveMs: config.keepAliveMs,
    verify: verifyWeights,
    smoke,
    workerUrl,
    log,
  });
}

/** Compiled workers, for whoever runs from the sources; absent: those beside this program. */
export interface Workers {
  /** Of the engine. */
  readonly workerUrl?: URL;
  /** Of the engine that draws. */
  readonly imagesWorkerUrl?: URL;
  /** Of the engine that describes images. */
  readonly visionWorkerUrl?: URL;
  /** Of the schemas. */
  readonly schemaWorkerUrl?: URL;
  /** Of the hosted models' tokenizer. */
  readonly tokenizerWorkerUrl?: URL;
}

/** What works in a thread of its own, beside the engine. */
export function buildThreads(
  { schemaObjects }: Config,
  { clock, logger }: Omit<Machine, "random">,
  given: Workers,
) {
  const over = (engine: string, workerUrl: URL | undefined) => ({
    clock,
    workerUrl: workerUrl ?? new URL(`../engine/${engine}/worker.js`, import.meta.url),
    log: (message: string) => logger.warn({ engine }, message),
  });
  return {
    schemas: createSchemas({ ...over("schemas", given.schemaWorkerUrl), closed: schemaObjects === "closed" }),
    hostedTokenizer: createHostedTokenizer(over("tokenize", given.tokenizerWorkerUrl)),
  };
}

/** What the engine may know of the configuration; no key is among it. */
function llamaSettings(config: Config): LlamaSettings {
  const { slotsPerModel, contextTokensMax, tokenGapMsMax, prefixCacheBytesMax } = config;
  const { kvCacheType, flashAttention, gpu } = config;
  return {
    cores: usableCores(),
    threads: config.threads === 0 ? null : config.threads,
    slotsPerModel,
    contextTokensMax,
    prefillChunkTokens: config.prefillChunkTokens === 0 ? null : config.prefillChunkTokens,
    tokenGapMsMax,
    prefixCacheFolder: join(config.data, "prefix-cache"),
    prefixCacheBytesMax,
    kvCacheType,
    flashAttention,
    gpu,
  };
}
