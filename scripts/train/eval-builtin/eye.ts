/**
 * The built-in vision model, without a server: no route returns its captions alone, and the chat model has a
 * score of its own.
 */
import { fileURLToPath } from "node:url";
import type { DecodedImage } from "../../../src/core/images/images.js";
import type { ImageDescription } from "../../../src/core/images/vision.js";
import { ModelMemory } from "../../../src/engine/memory/model-memory.js";
import { createVisionEngine } from "../../../src/engine/vision/engine.js";
import { visionFamilies } from "../../../src/engine/vision/families.js";
import { loadRegistry } from "../../../src/models/registry.js";
import { verifyWeights } from "../../../src/models/verify.js";
import { systemClock } from "../../../src/system/clock.js";

const builtInModels = fileURLToPath(new URL("../../../models", import.meta.url));
const workerUrl = new URL("../../../dist/engine/vision/worker.js", import.meta.url);
const memoryBytesMax = 4_000_000_000;
const keepAliveMs = 600_000;

export interface Eye {
  /** The id of the vision model. */
  readonly model: string;
  describe(picture: DecodedImage): Promise<ImageDescription>;
  close(): Promise<void>;
}

/** Opens the model. @throws Error if there is no built-in vision model */
export async function openEye(): Promise<Eye> {
  const registry = { engine: "", contextTokensMax: 0, visionFamilies, visionModel: null };
  const { visionModel } = await loadRegistry({ folders: [builtInModels], ...registry });
  if (visionModel === null) throw new Error("no built-in model describes images");
  const engine = createVisionEngine({
    settings: { cores: 1, threads: 1 },
    clock: systemClock,
    memory: new ModelMemory({ clock: systemClock, memoryBytesMax }),
    keepAliveMs,
    verify: verifyWeights,
    workerUrl,
    log: (level, message) => process.stderr.write(`eval:builtin: ${level}: ${message}\n`),
  });
  const { signal } = new AbortController();
  return {
    model: visionModel.manifest.id,
    describe: (picture) => engine.describe(visionModel, picture, { detail: "low" }, signal),
    close: () => engine.close(),
  };
}
