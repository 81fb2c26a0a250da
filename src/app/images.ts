/** The part of the composition root that builds what draws: the engine, the images that are kept, and the runs over both. */
import type { Config } from "../config.js";
import type { DrawingEngine } from "../core/image-generation.js";
import type { ImageStore } from "../inference/images/stored-image.js";
import { createImagesEngine } from "../engine/images/engine.js";
import { usableCores } from "../engine/llama/load/machine.js";
import type { ModelMemory } from "../engine/model-memory.js";
import { createDrawings, type DrawDeps, type Drawings } from "../inference/images/generate-images.js";
import { verifyWeights } from "../models/verify.js";
import type { Database } from "../store/database.js";
import { createImageStore } from "../inference/images/store.js";
import { imagesFolder } from "./data-folder.js";
import type { Machine, Workers } from "./chat-engine.js";

/** The engine that draws. */
export function buildPainter(
  { threads, keepAliveMs }: Config,
  memory: ModelMemory,
  { clock, logger }: Machine,
  given: Workers,
): DrawingEngine {
  return createImagesEngine({
    clock,
    memory,
    keepAliveMs,
    threads: threads === 0 ? usableCores() : threads,
    verify: verifyWeights,
    workerUrl: given.imagesWorkerUrl ?? new URL("../engine/images/worker.js", import.meta.url),
    log: (message) => logger.warn({ engine: "images" }, message),
  });
}

export interface Drawing {
  readonly images: ImageStore;
  readonly drawings: Drawings;
}

/** The runs that draw, and where their images are kept. */
export function buildDrawing(
  config: Config,
  database: Database,
  deps: Omit<DrawDeps, "images" | "runsActiveMax">,
): Drawing {
  const { imagesBytesMax: bytesMax, runsActiveMax } = config;
  const images = createImageStore(database, { folder: imagesFolder(config), bytesMax, random: deps.random });
  return { images, drawings: createDrawings({ ...deps, images, runsActiveMax }) };
}
