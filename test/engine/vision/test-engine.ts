/** Starts the vision engine with models that a test writes; creates images for it. */
import { onTestFinished } from "vitest";
import type { DecodedImage } from "../../../src/core/images/images.js";
import type { ImageDescription, DescribeOptions, VisionEngine } from "../../../src/core/images/vision.js";
import type { Model } from "../../../src/core/model.js";
import { ModelMemory } from "../../../src/engine/memory/model-memory.js";
import { createVisionEngine, type VisionEngineDeps } from "../../../src/engine/vision/engine.js";
import { ember } from "../../kit/scripted/ember.js";
import { createManualClock, type ManualClock } from "../../kit/manual-clock.js";
import { temporaryFolder } from "../../kit/folder.js";

const visionWorkerUrl = new URL("../../../dist/engine/vision/worker.js", import.meta.url);

export interface TestVisionEngine {
  readonly engine: VisionEngine;
  readonly clock: ManualClock;
  readonly model: Model;
  readonly logs: readonly string[];
  readonly describe: (
    picture: DecodedImage,
    look?: Partial<DescribeOptions>,
    signal?: AbortSignal,
  ) => Promise<ImageDescription>;
}

/** @param write writes the model into its folder. */
export function startVisionEngine(
  write: (folder: string) => void,
  deps: Partial<VisionEngineDeps> = {},
): TestVisionEngine {
  const folder = temporaryFolder();
  write(folder);
  const clock = createManualClock(0);
  const logs: string[] = [];
  const engine = createVisionEngine({
    settings: { cores: 1, threads: 1 },
    clock,
    memory: new ModelMemory({ clock, memoryBytesMax: 1_000_000_000 }),
    keepAliveMs: 1000,
    verify: () => Promise.resolve(null),
    workerUrl: visionWorkerUrl,
    log: (_level, message) => logs.push(message),
    ...deps,
  });
  onTestFinished(() => engine.close());
  const model = visionModel(folder);
  const never = new AbortController().signal;
  return {
    engine,
    clock,
    model,
    logs,
    describe: (picture, look = {}, signal = never) =>
      engine.describe(model, picture, { detail: "auto", ...look }, signal),
  };
}

function visionModel(folder: string): Model {
  const { manifest } = ember;
  return {
    ...ember,
    path: `${folder}/config.json`,
    manifest: { ...manifest, id: "seer-1m", kind: "vision", bytes: 1000 },
  };
}

export const red = [255, 0, 0] as const;
export const green = [0, 255, 0] as const;
export const blue = [0, 0, 255] as const;
export const black = [0, 0, 0] as const;

/** Creates an image of one colour, or with a colour in each quarter. */
export function picture(colours: readonly (readonly number[])[], width = 128, height = 128): DecodedImage {
  const rgb = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const quarter = (y >= height / 2 ? 2 : 0) + (x >= width / 2 ? 1 : 0);
      rgb.set(colours[quarter % colours.length] ?? [], (y * width + x) * 3);
    }
  return { width, height, rgb };
}
