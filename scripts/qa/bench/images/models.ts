/** The measured models: the built-in ones, or larger ones with random weights. */
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../../world/root.js";
import type { ModelManifest } from "../../../../src/core/model.js";
import { threadsFor, usableCores } from "../../../../src/engine/worker/machine.js";
import { describeManifest } from "../../../../src/models/describe.js";
import { visionFamilies } from "../../../../src/engine/vision/families.js";
import { publishedModels, writeImageModel } from "../../../../test/kit/models/image-models.js";
import { writeOnnx } from "../../../../test/kit/models/onnx-writer.js";
import { writeSlowCaptioner } from "../../../../test/kit/models/vision/captioner.js";
import { wideDenoiser } from "./wide-denoiser.js";

export interface VisionModel {
  readonly id: string;
  readonly folder: string;
  /** The number of threads that the server uses for it. */
  readonly threads: number;
}

export interface ImageModel extends VisionModel {
  readonly steps: number;
  /** Whether each step runs with and without the prompt (classifier-free guidance). */
  readonly isGuided: boolean;
}

export interface ImageModels {
  readonly visionModel: VisionModel;
  readonly imageModel: ImageModel;
  /** An additional folder of models for the server, or null. */
  readonly folder: string | null;
}

const builtIn = join(root, "models");
/** Use another name when the way of writing the models changes. */
const randomFolder = join(tmpdir(), "hearth-bench-models", "images-1");
const randomVisionModel = "bench-captioner";
const randomImageModel = "bench-painter";
/**
 * The server's defaults for models without a manifest; see defaultsFor in src/engine/images/model-config.ts.
 */
const usual = { steps: 25, guidanceScale: 7.5 } as const;

/** @param large use random weights also for models that are built in */
export async function imageModels(large: boolean): Promise<ImageModels> {
  const visionModel = large ? null : await findFirst("vision");
  const painter = large ? null : await findFirst("image");
  const isRandom = visionModel === null || painter === null;
  if (isRandom) writeRandom();
  return {
    visionModel:
      visionModel === null ? { ...random(randomVisionModel), threads: 1 } : toVisionModel(visionModel),
    imageModel: toImageModel(painter ?? random(randomImageModel), painter?.manifest.drawing ?? usual),
    folder: isRandom ? randomFolder : null,
  };
}

interface Found {
  readonly id: string;
  readonly folder: string;
}

interface BuiltIn extends Found {
  readonly manifest: ModelManifest;
}

function toVisionModel({ id, folder, manifest }: BuiltIn): VisionModel {
  return { id, folder, threads: threadsFor(manifest.bytes, usableCores()) };
}

function toImageModel({ id, folder }: Found, drawing: NonNullable<ModelManifest["drawing"]>): ImageModel {
  const { steps, guidanceScale } = drawing;
  return { id, folder, threads: usableCores(), steps, isGuided: guidanceScale > 1 };
}

function random(id: string): Found {
  return { id, folder: join(randomFolder, id) };
}

/** Returns the first built-in model of a kind. */
async function findFirst(kind: ModelManifest["kind"]): Promise<BuiltIn | null> {
  for (const name of (await readdir(builtIn)).sort()) {
    const folder = join(builtIn, name);
    const { manifest, unusable } = await describeManifest(folder, await readdir(folder), visionFamilies);
    if (unusable === null && manifest.kind === kind) return { id: manifest.id, folder, manifest };
  }
  return null;
}

/**
 * Writes models in the published layouts, whose steps take as long as the steps of small real ones; only once.
 */
function writeRandom(): void {
  if (existsSync(randomFolder)) return;
  const draft = `${randomFolder}.part`;
  rmSync(draft, { recursive: true, force: true });
  const captioner = join(draft, randomVisionModel);
  mkdirSync(captioner, { recursive: true, mode: 0o700 });
  writeSlowCaptioner(captioner);
  const painter = writeImageModel(join(draft, randomImageModel), { ...publishedModels.sd15, side: 64 });
  writeOnnx(join(painter, "unet/model.onnx"), wideDenoiser());
  renameSync(draft, randomFolder);
}
