/** The part of the composition root that builds everything that runs models, over the one memory that they share. */
import type { Config } from "../../config/config.js";
import type { SoundDecoder } from "../../core/prompt/sounds.js";
import type { EmbeddingEngine } from "../../core/embeddings/engine.js";
import type { Engine } from "../../core/engine.js";
import type { ImageEngine } from "../../core/images/image-generation.js";
import type { Model } from "../../core/model.js";
import type { Schemas } from "../../core/schemas.js";
import type { HostedTokenizer } from "../../core/tokenizer.js";
import { seenGpu } from "../../engine/gpu/memory.js";
import { createSoundDecoder } from "../../engine/audio/sound-decoder.js";
import { createImageEngine } from "../../engine/images/engine.js";
import { createSchemas } from "../../engine/language/schemas/schemas.js";
import { createHostedTokenizer } from "../../engine/language/tokenize/tokenize.js";
import { createLlamaEngine, type LlamaEngine } from "../../engine/llama/engine.js";
import { ModelMemory } from "../../engine/memory/model-memory.js";
import { createPdfReader } from "../../engine/pdf/pdf-reader.js";
import { createRemoteEngine } from "../../engine/remote/engine.js";
import { byPlacement, embeddingsByPlacement } from "../../engine/text/by-placement.js";
import { createTextThread, type TextThread } from "../../engine/text/thread.js";
import { createImageDecoder } from "../../engine/vision/decode.js";
import { createVisionEngine } from "../../engine/vision/engine.js";
import { limitMemory, usableCores } from "../../engine/worker/machine.js";
import { createCaptioning, type Captioning } from "../../inference/prompt/captioning.js";
import { createMediaPreparation } from "../../inference/prompt/media.js";
import { openModelRoom } from "../../models/fit/free-memory.js";
import { verifyWeights } from "../../models/verify.js";
import { createImageFetcher } from "../../network/fetch.js";
import { readAllowedHosts } from "../../network/hosts.js";
import { readSystemFile } from "../../system/ask-system.js";
import type { SystemDeps, TracedDeps } from "../system-deps.js";
import { llamaSettings } from "./llama-settings.js";
import { remoteEngines } from "./remote.js";
import { buildGgufTrials, buildOnnxCheck } from "./trials.js";

/** Files of the compiled worker threads, for a program that runs from its sources; absent: those next to this program. */
interface WorkerUrls {
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
  /** The decoder's of sound files. */
  readonly audioWorkerUrl?: URL;
  /** The reader's of PDF files. */
  readonly pdfWorkerUrl?: URL;
  /** The reader's of reports; null: the connection of the server reads them. */
  readonly reportsWorkerUrl?: URL | null;
  /** The child process that tries image and vision models; null: they are not tried. */
  readonly onnxTrialUrl?: URL | null;
}

/** Engines that are used instead of those that would be built. */
export interface EngineOverrides extends WorkerUrls {
  readonly engine?: Engine;
  /** Runs the GGUF models of this process. */
  readonly llama?: LlamaEngine;
  /** Has the vocabularies and templates of models that run in other servers. */
  readonly textThread?: TextThread;
  readonly embeddingEngine?: EmbeddingEngine;
  readonly imageEngine?: ImageEngine;
  readonly captioning?: Captioning;
  readonly schemas?: Schemas;
  readonly hostedTokenizer?: HostedTokenizer;
}

/** What engines ask of the registry, and report to it. */
export interface ModelsOfEngines {
  /** Returns the model that describes images; null when there is none. */
  readonly visionModel: () => Model | null;
  /** Takes why the projector of a model cannot be used. */
  readonly rejectProjector: (model: Model, reason: string) => void;
}

export type Engines = ReturnType<typeof buildEngines>;

/**
 * Builds the engines; no model is loaded yet.
 * @param models the registry: which model describes images, and what becomes of a projector that cannot be used
 * @throws Error when `imageFetch` names an invalid host.
 */
export function buildEngines(
  config: Config,
  system: TracedDeps,
  models: ModelsOfEngines,
  given: EngineOverrides,
) {
  const memory = buildModelMemory(config, system);
  const thread = given.textThread ?? buildTextThread(config, system, given);
  const { llama, remote } = buildTextEngines(config, system, memory, thread, { ...given, ...models });
  const { vision, imageEngine, onnxCheck } = buildImageEngines(config, system, memory, given);
  const readers = buildReaders(config, system, given);
  return {
    engine: given.engine ?? byPlacement(llama, remote),
    embeddingEngine: given.embeddingEngine ?? embeddingsByPlacement(llama.embeddings, remote.embeddings),
    imageEngine,
    media: buildMedia(
      config,
      system,
      { vision, visionModel: models.visionModel, sounds: readers.sounds },
      given.captioning,
    ),
    ...readers,
    onnxCheck,
    memory,
    /** The engines that hold models in memory. */
    all: [...(given.engine === undefined ? [] : [given.engine]), remote, llama, imageEngine, vision],
    remote,
  };
}

/**
 * Builds the memory budget that the models of all engines share. Without a limit of the operator's, what is free counts, too; not with
 * an NVIDIA GPU, whose models need little of it.
 */
export function buildModelMemory(
  { memoryBytesMax, gpu }: Config,
  { clock, logger }: SystemDeps,
): ModelMemory {
  const isFreeCounted = memoryBytesMax === 0 && (gpu === "off" || seenGpu() !== "nvidia");
  const sources = { read: readSystemFile, limitBytes: process.constrainedMemory() };
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
  { workerUrl, onHang }: WorkerUrls,
): TextThread {
  return createTextThread({
    settings: llamaSettings(config),
    clock,
    workerUrl: workerUrl ?? new URL("../../engine/text/worker.js", import.meta.url),
    log: (level, message) => logger[level]({ engine: "llama" }, message),
    onHang,
  });
}

/** Builds the engines of text models, in this process and elsewhere. */
export function buildTextEngines(
  config: Config,
  { clock, random, logger, tracing }: TracedDeps,
  memory: ModelMemory,
  thread: TextThread,
  { workerUrl, llama, rejectProjector }: EngineOverrides & Partial<ModelsOfEngines>,
) {
  const shared = { ...thread, clock, random, memory, keepAliveMs: config.keepAliveMs };
  return {
    llama:
      llama ??
      createLlamaEngine({
        ...shared,
        settings: llamaSettings(config),
        verify: verifyWeights,
        trials: buildGgufTrials(config, { logger }, workerUrl),
        onProjectorProblem(model, reason) {
          logger.error({ model: model.manifest.id, reason }, "a projector cannot be used");
          rejectProjector?.(model, reason);
        },
      }),
    remote: createRemoteEngine({
      ...shared,
      engines: remoteEngines(config),
      tracing,
      log: (level, message) => logger[level]({ engine: "remote" }, message),
    }),
  };
}

/** Builds the engines of ONNX models: one generates images, one describes them. */
function buildImageEngines(
  config: Config,
  { clock, logger }: SystemDeps,
  memory: ModelMemory,
  given: EngineOverrides,
) {
  const { keepAliveMs } = config;
  const threads = config.threads === 0 ? null : config.threads;
  const onnxCheck = buildOnnxCheck(config, { logger }, given.onnxTrialUrl);
  const shared = { clock, memory, keepAliveMs, verify: onnxCheck };
  const vision = createVisionEngine({
    ...shared,
    settings: { cores: usableCores(), threads },
    workerUrl: given.visionWorkerUrl ?? new URL("../../engine/vision/worker.js", import.meta.url),
    log: (level, message) => logger[level]({ engine: "vision" }, message),
  });
  const imageEngine =
    given.imageEngine ??
    createImageEngine({
      ...shared,
      threads: threads ?? usableCores(),
      workerUrl: given.imagesWorkerUrl ?? new URL("../../engine/images/worker.js", import.meta.url),
      log: (message) => logger.warn({ engine: "images" }, message),
    });
  return { vision, imageEngine, onnxCheck };
}

/** Builds what reads images and sound in conversations, or replaces images by descriptions. @throws Error naming the invalid host in `imageFetch`. */
function buildMedia(
  { imageFetch, imagesMax, soundsMax, audioSecondsMax }: Config,
  { clock, logger, tracing }: TracedDeps,
  {
    sounds,
    ...models
  }: Pick<Parameters<typeof createCaptioning>[0], "vision" | "visionModel"> & {
    readonly sounds: SoundDecoder;
  },
  given: Captioning | undefined,
) {
  const log = (message: string): void => logger.warn({ engine: "vision" }, message);
  const allowedHosts = readAllowedHosts(imageFetch, "imageFetch");
  const fetcher = createImageFetcher({ clock, log, allowedHosts, headers: () => tracing.headers() });
  const reading = { fetcher, decoder: createImageDecoder(log), imagesMax };
  return createMediaPreparation({
    ...reading,
    sounds,
    soundsMax,
    audioSecondsMax,
    captioning: given ?? createCaptioning({ ...models, ...reading }),
  });
}

/** Builds what reads schemas, texts for hosted models, sound and PDF files, each in a thread of its own. */
function buildReaders(config: Config, { clock, logger }: SystemDeps, given: EngineOverrides) {
  const log = (engine: string) => (message: string) => logger.warn({ engine }, message);
  const { schemaMsMax, schemaWorkerUrl, tokenizerWorkerUrl, audioWorkerUrl, pdfWorkerUrl } = given;
  return {
    schemas:
      given.schemas ??
      createSchemas({
        clock,
        workerUrl: schemaWorkerUrl ?? new URL("../../engine/language/schemas/worker.js", import.meta.url),
        log: log("schemas"),
        closed: config.schemaObjects === "closed",
        requestMsMax: schemaMsMax,
      }),
    hostedTokenizer:
      given.hostedTokenizer ??
      createHostedTokenizer({
        clock,
        workerUrl: tokenizerWorkerUrl ?? new URL("../../engine/language/tokenize/worker.js", import.meta.url),
        log: log("tokenize"),
      }),
    sounds: createSoundDecoder({
      clock,
      workerUrl: audioWorkerUrl ?? new URL("../../engine/audio/worker.js", import.meta.url),
      log: log("audio"),
    }),
    pdfs: createPdfReader({
      clock,
      workerUrl: pdfWorkerUrl ?? new URL("../../engine/pdf/worker.js", import.meta.url),
      log: log("pdf"),
    }),
  };
}
