/** The part of the composition root that builds the chat engine and the worker threads next to it. */
import { join } from "node:path";
import type { Config } from "../../config/config.js";
import type { Model } from "../../core/model.js";
import type { Schemas } from "../../core/schemas.js";
import type { PdfReader } from "../../core/prompt/documents.js";
import type { HostedTokenizer } from "../../core/tokenizer.js";
import { createLlamaEngine, type LlamaEngine } from "../../engine/llama/engine.js";
import { createTextThread, type TextThread } from "../../engine/text/thread.js";
import { createSmokeLoad } from "../../engine/llama/smoke-load.js";
import { ModelMemory } from "../../engine/memory/model-memory.js";
import { createSchemas } from "../../engine/language/schemas/schemas.js";
import { createPdfReader } from "../../engine/pdf/pdf-reader.js";
import { createHostedTokenizer } from "../../engine/language/tokenize/tokenize.js";
import type { Logger } from "../../core/logger.js";
import { openModelRoom, readSystemFile, type RoomSources } from "../../models/fit/free-memory.js";
import { verifyWeights } from "../../models/verify.js";
import { seenGpu } from "../../engine/gpu/memory.js";
import { limitMemory } from "../../engine/worker/machine.js";
import { llamaSettings } from "./llama-settings.js";
import type { SystemDeps } from "../system-deps.js";

/**
 * Builds the memory budget that the models of all engines share. Without a limit of the operator's, what is free counts, too; not with
 * an NVIDIA GPU, whose models need little of it.
 */
export function buildModelMemory(
  { memoryBytesMax, gpu }: Config,
  { clock, logger }: SystemDeps,
  sources: RoomSources = { read: readSystemFile, limitBytes: process.constrainedMemory() },
): ModelMemory {
  const isFreeCounted = memoryBytesMax === 0 && (gpu === "off" || seenGpu() !== "nvidia");
  return new ModelMemory({
    clock,
    memoryBytesMax: limitMemory(memoryBytesMax),
    roomBytes: isFreeCounted ? openModelRoom(sources) : null,
    log: (message) => logger.warn({ engine: "memory" }, message),
  });
}

/** Builds the client of the thread of text models. */
export function buildTextThread(
  config: Config,
  { clock, logger }: SystemDeps,
  given: WorkerUrls,
): TextThread {
  return createTextThread({
    settings: llamaSettings(config),
    clock,
    workerUrl: textWorkerUrl(given),
    log: (level, message) => logger[level]({ engine: "llama" }, message),
    ...(given.onHang === undefined ? {} : { onHang: given.onHang }),
  });
}

/** Builds the engine that runs GGUF models. */
export function buildChatEngine(
  config: Config,
  memory: ModelMemory,
  system: SystemDeps,
  given: WorkerUrls & { readonly thread: TextThread },
): LlamaEngine {
  return createLlamaEngine({
    ...given.thread,
    settings: llamaSettings(config),
    clock: system.clock,
    random: system.random,
    memory,
    keepAliveMs: config.keepAliveMs,
    verify: verifyWeights,
    smoke: buildChatCheck(config, system, given),
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
    entry: new URL("../llama/smoke.js", textWorkerUrl(given)),
    settings: llamaSettings(config),
    passedFile: join(config.data, "loaded-models.json"),
    isAwaited,
    log: (message) => logger.warn({ engine: "llama" }, message),
  });
}

function textWorkerUrl({ workerUrl }: WorkerUrls): URL {
  return workerUrl ?? new URL("../../engine/text/worker.js", import.meta.url);
}

/** Files of the compiled worker threads, for a program that runs from its sources; absent: those next to this program. */
export interface WorkerUrls {
  /** The client of the thread of text models. */
  readonly workerUrl?: URL;
  /** Called when the thread of text models hangs in native code: only the end of the process ends it. */
  readonly onHang?: () => void;
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
  /** The reader's of PDF files. */
  readonly pdfWorkerUrl?: URL;
  /** The reader's of reports; null: the connection of the server reads them. */
  readonly reportsWorkerUrl?: URL | null;
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
    workerUrl: schemaWorkerUrl ?? new URL("../../engine/language/schemas/worker.js", import.meta.url),
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
    workerUrl: tokenizerWorkerUrl ?? new URL("../../engine/language/tokenize/worker.js", import.meta.url),
    log: (message) => logger.warn({ engine: "tokenize" }, message),
  });
}

/** Builds the reader of PDF files, which works in a thread of its own. */
export function buildPdfReader({ clock, logger }: SystemDeps, { pdfWorkerUrl }: WorkerUrls): PdfReader {
  return createPdfReader({
    clock,
    workerUrl: pdfWorkerUrl ?? new URL("../../engine/pdf/worker.js", import.meta.url),
    log: (message) => logger.warn({ engine: "pdf" }, message),
  });
}
