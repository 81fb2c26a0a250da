/** The part of the composition root that builds the vision engine and what describes images of conversations with it. */
import type { Config } from "../../config/config.js";
import type { VisionEngine } from "../../core/images/vision.js";
import { usableCores } from "../../engine/worker/machine.js";
import type { ModelMemory } from "../../engine/memory/model-memory.js";
import { createImageDecoder } from "../../engine/vision/decode/decode.js";
import { createVisionEngine } from "../../engine/vision/engine.js";
import { createImageFetcher } from "../../network/fetch.js";
import { readAllowedHosts } from "../../network/hosts.js";
import { createCaptioning, type CaptioningDeps, type Captioning } from "../../inference/prompt/captioning.js";
import type { SystemDeps, TracedDeps, WorkerUrls } from "./workers.js";
import type { OnnxCheck } from "./onnx-models.js";

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
