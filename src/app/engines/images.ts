/** The part of the composition root that builds the engine that generates images. */
import type { Config } from "../../config/config.js";
import type { ImageEngine } from "../../core/images/image-generation.js";
import { createImageEngine } from "../../engine/images/engine.js";
import { usableCores } from "../../engine/worker/machine.js";
import type { ModelMemory } from "../../engine/memory/model-memory.js";
import type { SystemDeps, WorkerUrls } from "./workers.js";
import type { OnnxCheck } from "./onnx-models.js";

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
