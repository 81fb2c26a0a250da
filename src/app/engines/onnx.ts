/** The part of the composition root that builds the engines of ONNX models, and finds out which of these models cannot be loaded. */
import { join } from "node:path";
import type { Config } from "../../config/config.js";
import type { Clock } from "../../core/clock.js";
import type { Logger } from "../../core/logger.js";
import { isGgufKind, type Model } from "../../core/model.js";
import { createOnnxTrials, trialBytesMax } from "../../engine/onnx/trials.js";
import { visionFiles } from "../../engine/vision/families.js";
import { checkOnnxModel } from "../../models/onnx/check.js";
import type { LoadedRegistry } from "../../models/registry.js";
import { verifyWeights } from "../../models/verify.js";
import type { WorkerUrls } from "./workers.js";
import type { ImageEngine } from "../../core/images/image-generation.js";
import { createImageEngine } from "../../engine/images/engine.js";
import { usableCores } from "../../engine/worker/machine.js";
import type { ModelMemory } from "../../engine/memory/model-memory.js";
import type { SystemDeps, TracedDeps } from "../system-deps.js";
import type { VisionEngine } from "../../core/images/vision.js";
import { createImageDecoder } from "../../engine/vision/decode/decode.js";
import { createVisionEngine } from "../../engine/vision/engine.js";
import { createImageFetcher } from "../../network/fetch.js";
import { readAllowedHosts } from "../../network/hosts.js";
import { type Captioning, type CaptioningDeps, createCaptioning } from "../../inference/prompt/captioning.js";

/** Builds the engine that describes images. */
export function buildVisionEngine(
  { threads, keepAliveMs }: Config,
  memory: ModelMemory,
  { clock, logger }: SystemDeps,
  given: WorkerUrls,
  verify: OnnxCheck,
): VisionEngine {
  return createVisionEngine({
    settings: { cores: usableCores(), threads: threads === 0 ? null : threads },
    clock,
    memory,
    keepAliveMs,
    verify,
    workerUrl: given.visionWorkerUrl ?? new URL("../../engine/vision/worker.js", import.meta.url),
    log: (level, message) => logger[level]({ engine: "vision" }, message),
  });
}

/** Builds what replaces images in conversations by descriptions. @throws Error naming the invalid host in `imageFetch`. */
export function buildCaptioning(
  { imageFetch, imagesMax }: Config,
  { clock, logger, tracing }: TracedDeps,
  deps: Pick<CaptioningDeps, "vision" | "visionModel">,
): Captioning {
  const log = (message: string): void => logger.warn({ engine: "vision" }, message);
  return createCaptioning({
    ...deps,
    fetcher: createImageFetcher({
      clock,
      log,
      allowedHosts: readAllowedHosts(imageFetch, "imageFetch"),
      headers: () => tracing.headers(),
    }),
    decoder: createImageDecoder(log),
    imagesMax,
  });
}

/** Builds the engine that generates images. */
export function buildImageEngine(
  { threads, keepAliveMs }: Config,
  memory: ModelMemory,
  { clock, logger }: SystemDeps,
  given: WorkerUrls,
  verify: OnnxCheck,
): ImageEngine {
  return createImageEngine({
    clock,
    memory,
    keepAliveMs,
    threads: threads === 0 ? usableCores() : threads,
    verify,
    workerUrl: given.imagesWorkerUrl ?? new URL("../../engine/images/worker.js", import.meta.url),
    log: (message) => logger.warn({ engine: "images" }, message),
  });
}

/** Returns one public sentence when an image or vision model must not be loaded, else null. It never rejects. */
type OnnxCheck = (model: Model) => Promise<string | null>;

/** When the models are checked after the server listens: the first requests go first. */
const startDelayMs = 500;

/**
 * Builds the check: of the files' structure, of their SHA-256 where the manifest has it, and by a trial in a child process where it
 * has none.
 * @param isAwaited whether this process stays alive until a trial has ended
 */
export function buildOnnxCheck(
  { data }: Config,
  { logger }: { readonly logger: Logger },
  { onnxTrialUrl }: WorkerUrls,
  isAwaited = false,
): OnnxCheck {
  const entry =
    onnxTrialUrl === undefined ? new URL("../../engine/onnx/smoke.js", import.meta.url) : onnxTrialUrl;
  const attempt =
    entry === null
      ? () => Promise.resolve(null)
      : createOnnxTrials({
          entry,
          isAwaited,
          passedFile: join(data, "loaded-onnx-models.json"),
          log: (message) => logger.warn({ engine: "onnx" }, message),
        });
  return async (model) =>
    (await checkOnnxModel(model, visionFiles(model.manifest.family))) ??
    (await verifyWeights(model)) ??
    (await attempt(model));
}

/**
 * Checks every image and vision model, one after the other, and rejects those that cannot be loaded. Large models are checked for their
 * structure only: to read them takes seconds.
 */
export async function rejectUnloadableModels(
  registry: LoadedRegistry,
  check: OnnxCheck,
  { logger, isClosed }: { readonly logger: Logger; readonly isClosed: () => boolean },
): Promise<void> {
  for (const model of registry.list()) {
    const { id, kind, bytes, family } = model.manifest;
    if (isGgufKind(kind) || model.unusable !== null) continue;
    const isLarge = bytes > trialBytesMax;
    const reason = isLarge ? await checkOnnxModel(model, visionFiles(family)) : await check(model);
    if (isClosed()) return;
    if (reason === null) continue;
    registry.reject(id, reason);
    logger.error({ model: id, reason }, "a model cannot be loaded");
  }
}

/** Checks the models in the background, soon after the server listens. @returns a function that ends it */
export function startModelChecks(
  registry: LoadedRegistry,
  check: OnnxCheck,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): () => void {
  let closed = false;
  const isClosed = (): boolean => closed;
  const cancel = clock.after(startDelayMs, () => {
    rejectUnloadableModels(registry, check, { logger, isClosed }).catch((err: unknown) =>
      logger.error({ err }, "the models could not be checked"),
    );
  });
  return () => {
    closed = true;
    cancel();
  };
}
