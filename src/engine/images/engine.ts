/**
 * The image engine as the HTTP thread uses it: implements the image port with a worker thread, over Diffusers' ONNX exports. Images are
 * generated one after the other, whatever their model: the runtime uses all its threads for each. The worker checks between two steps
 * whether the job is aborted, and is never terminated during a step.
 */
import { dirname } from "node:path";
import sharp from "sharp";
import type { NativeModelInfo } from "../../core/engine.js";
import type { Clock } from "../../core/clock.js";
import { HearthError, toHearthError } from "../../core/errors.js";
import type { ImageEngine, ImageFormat } from "../../core/images/image-generation.js";
import type { Model } from "../../core/model.js";
import type { ModelMemory } from "../memory/model-memory.js";
import { ResidentModels } from "../memory/resident-models.js";
import { WorkerLostError } from "../worker/client-options.js";
import { WorkerClient } from "../worker/client.js";
import type { RawImage } from "./image-model.js";
import type { ImageReplies, ImageRequest, StepNews } from "./protocol.js";
import { fittingSize, type SupportedSizes } from "./size.js";

interface ImageEngineDeps {
  readonly clock: Clock;
  /** Compiled worker.js; tests that run from the sources pass the compiled one, too. */
  readonly workerUrl: URL;
  /** Threads of one run of the runtime. */
  readonly threads: number;
  /** Shared with the other engines. */
  readonly memory: ModelMemory;
  /** How long an idle model stays in memory. */
  readonly keepAliveMs: number;
  /** Returns one public sentence when the files must not be loaded, else null. */
  readonly verify: (model: Model) => Promise<string | null>;
  readonly log: (message: string) => void;
}

interface ImageModelInfo extends NativeModelInfo {
  readonly sizes: SupportedSizes;
}

/** Buffers in addition to the weights: several times the activations of the largest layer. */
const overheadShare = 0.35;
const overheadBytesMin = 64_000_000;
/** Limit of the worker's JavaScript heap; the runtime's memory is not included. */
const memoryMbMax = 1024;

type ImageWorker = WorkerClient<ImageRequest, ImageReplies, StepNews>;

/** Creates the engine; the worker starts with the first model. */
export function createImageEngine(deps: ImageEngineDeps): ImageEngine {
  const worker: ImageWorker = createWorker(deps, () => models.dropAll());
  const models: ResidentModels<ImageModelInfo> = new ResidentModels<ImageModelInfo>({
    ...deps,
    estimate: imageModelBytes,
    check: deps.verify,
    load: (model) => open(worker, model, deps.threads),
    unload: (model) => worker.call({ type: "release", folder: findFolder(model) }),
  });
  return {
    async load(model, signal) {
      const leased = await models.lease(model, signal);
      return {
        sizeFor: (requested) => fittingSize(requested, leased.sizes),
        release: () => leased.release(),
      };
    },
    async generate(model, { format, quality, ...job }, signal, onStep) {
      const image = await worker
        .call({ type: "generate", folder: findFolder(model), job }, { signal, onNews: onStep })
        .catch((thrown: unknown) => {
          throw unavailable(model, thrown, signal, "it could not generate this image.");
        });
      const { pixels, ...rest } = image;
      return { ...rest, bytes: await encodeImage({ pixels, ...rest }, format, quality) };
    },
    residents: () => models.list(),
    async close() {
      await worker.close();
      models.dropAll();
    },
  };
}

/** Returns the memory that an image model takes, about. */
export function imageModelBytes({ manifest: { bytes } }: Model): number {
  return Math.ceil(bytes + Math.max(overheadBytesMin, overheadShare * bytes));
}

function createWorker({ clock, workerUrl, log }: ImageEngineDeps, onExit: () => void): ImageWorker {
  return new WorkerClient({
    clock,
    name: "images",
    workerUrl,
    memoryMbMax,
    concurrencyMax: 1,
    onAbort: "stop",
    // To terminate the thread during a step of the runtime would end the whole process.
    closeMsMax: null,
    onExit,
    log: (_level, message) => log(message),
  });
}

async function open(worker: ImageWorker, model: Model, threads: number): Promise<ImageModelInfo> {
  const { drawing, contextTokens } = model.manifest;
  const options = { threads, drawing: drawing ?? null };
  try {
    const sizes = await worker.call({ type: "open", folder: findFolder(model), options });
    return { sizes, contextTokens, slots: 1, device: "cpu" };
  } catch (thrown) {
    throw unavailable(model, thrown, null, "it could not be loaded.");
  }
}

function findFolder(model: Model): string {
  return dirname(model.path);
}

/**
 * Converts an error of the worker to the model's. Messages of the runtime may contain paths, so they are logged as the cause and not sent.
 * Returns aborts, lost workers and the end of the server unchanged.
 */
function unavailable(model: Model, thrown: unknown, signal: AbortSignal | null, otherwise: string): unknown {
  if (signal?.aborted === true || thrown instanceof WorkerLostError) return thrown;
  const error = toHearthError(thrown);
  if (error.kind === "overloaded") return error;
  const reason = error.kind === "model_unavailable" ? error.message : otherwise;
  return new HearthError("model_unavailable", `The model '${model.manifest.id}' cannot be used: ${reason}`, {
    param: "model",
    cause: error.kind === "model_unavailable" ? undefined : error.cause,
  });
}

/** Quality of JPEG and WebP when none is requested. */
const defaultQuality = 90;

/** Encodes an image as a file, in sharp's own threads. @param quality of JPEG and WebP, 1 to 100; null: the default. */
async function encodeImage(
  { pixels, width, height }: RawImage,
  format: ImageFormat,
  quality: number | null,
): Promise<Uint8Array> {
  const image = sharp(pixels, { raw: { width, height, channels: 3 } });
  switch (format) {
    case "png":
      return image.png().toBuffer();
    case "jpeg":
      return image.jpeg({ quality: quality ?? defaultQuality }).toBuffer();
    case "webp":
      return image.webp({ quality: quality ?? defaultQuality }).toBuffer();
  }
}
