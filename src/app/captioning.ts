/** The part of the composition root that builds what sees: the engine, where images come from, and the words that stand for them. */
import type { Config } from "../config.js";
import type { VisionEngine } from "../core/vision.js";
import { usableCores } from "../engine/llama/load/machine.js";
import type { ModelMemory } from "../engine/model-memory.js";
import { createImageDecoder } from "../engine/vision/decode/decode.js";
import { createVisionEngine } from "../engine/vision/engine.js";
import { createImageFetcher } from "../engine/vision/fetch/fetch.js";
import { readAllowedHosts } from "../engine/vision/fetch/hosts.js";
import { createGrounding, type GroundDeps, type Grounding } from "../inference/prompt/captioning.js";
import { verifyWeights } from "../models/verify.js";
import type { Machine, Workers } from "./chat-engine.js";

/** The engine that describes images. */
export function buildVision(
  { threads, keepAliveMs }: Config,
  memory: ModelMemory,
  { clock, logger }: Machine,
  given: Workers,
): VisionEngine {
  return createVisionEngine({
    settings: { cores: usableCores(), threads: threads === 0 ? null : threads },
    clock,
    memory,
    keepAliveMs,
    verify: verifyWeights,
    workerUrl: given.visionWorkerUrl ?? new URL("../engine/vision/worker.js", import.meta.url),
    log: (level, message) => logger[level]({ engine: "vision" }, message),
  });
}

/** What puts words in the places of images. @throws Error naming the host in `imageFetch` that is none. */
export function buildGrounding(
  { imageFetch, imagesMax }: Config,
  { clock, logger }: Machine,
  deps: Pick<GroundDeps, "vision" | "seer">,
): Grounding {
  const log = (message: string): void => logger.warn({ engine: "vision" }, message);
  const fetcher = createImageFetcher({ clock, log, allowedHosts: readAllowedHosts(imageFetch) });
  return createGrounding({ ...deps, fetcher, decoder: createImageDecoder(log), imagesMax });
}
