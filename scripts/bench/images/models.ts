/** The models that are measured: the built-in ones, or larger ones with random weights. */
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { readFile, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ModelManifest } from "../../../src/core/model.js";
import { threadsFor, usableCores } from "../../../src/engine/llama/load/machine.js";
import { parseManifest } from "../../../src/models/manifest.js";
import { published, writeDrawingModel } from "../../../test/drawing-models.js";
import { writeOnnx } from "../../../test/onnx-writer.js";
import { writeSlowCaptioner } from "../../../test/vision-models/captioner.js";
import { wideDenoiser } from "./wide-denoiser.js";

export interface SeerModel {
  readonly id: string;
  readonly folder: string;
  /** Threads that the server gives it. */
  readonly threads: number;
}

export interface PainterModel extends SeerModel {
  readonly steps: number;
  /** Whether each step is taken with the text and without. */
  readonly isGuided: boolean;
}

export interface ImageModels {
  readonly seer: SeerModel;
  readonly painter: PainterModel;
  /** The folder of models that the server needs beside its own; null: none. */
  readonly folder: string | null;
}

const builtIn = fileURLToPath(new URL("../../../models", import.meta.url));
/** Another name where its models are written in another way. */
const randomFolder = join(tmpdir(), "hearth-bench-models", "images-1");
const randomSeer = "bench-captioner";
const randomPainter = "bench-painter";
/** What the server draws with where no manifest says otherwise: see usualFor in src/engine/images/layout.ts. */
const usual = { steps: 25, guidanceScale: 7.5 } as const;

/** @param large whether they are to have random weights, as have those that are not built in. */
export async function imageModels(large: boolean): Promise<ImageModels> {
  const seer = large ? null : await firstOf("vision");
  const painter = large ? null : await firstOf("image");
  const isRandom = seer === null || painter === null;
  if (isRandom) writeRandom();
  return {
    seer: seer === null ? { ...random(randomSeer), threads: 1 } : seerOf(seer),
    painter: painterOf(painter ?? random(randomPainter), painter?.manifest.drawing ?? usual),
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

function seerOf({ id, folder, manifest }: BuiltIn): SeerModel {
  return { id, folder, threads: threadsFor(manifest.bytes, usableCores()) };
}

function painterOf({ id, folder }: Found, drawing: NonNullable<ModelManifest["drawing"]>): PainterModel {
  const { steps, guidanceScale } = drawing;
  return { id, folder, threads: usableCores(), steps, isGuided: guidanceScale > 1 };
}

function random(id: string): Found {
  return { id, folder: join(randomFolder, id) };
}

/** The first built-in model of a kind. */
async function firstOf(kind: ModelManifest["kind"]): Promise<BuiltIn | null> {
  for (const name of (await readdir(builtIn)).sort()) {
    const folder = join(builtIn, name);
    const text = await readFile(join(folder, "manifest.json"), "utf8").catch(() => null);
    const read = text === null ? null : parseManifest(text);
    if (read?.ok === true && read.manifest.kind === kind)
      return { id: read.manifest.id, folder, manifest: read.manifest };
  }
  return null;
}

/** Models in the published layouts, whose steps take as long as small real ones'; written once. */
function writeRandom(): void {
  if (existsSync(randomFolder)) return;
  const draft = `${randomFolder}.part`;
  rmSync(draft, { recursive: true, force: true });
  const seer = join(draft, randomSeer);
  mkdirSync(seer, { recursive: true, mode: 0o700 });
  writeSlowCaptioner(seer);
  const painter = writeDrawingModel(join(draft, randomPainter), { ...published.sd15, side: 64 });
  writeOnnx(join(painter, "unet/model.onnx"), wideDenoiser());
  renameSync(draft, randomFolder);
}
