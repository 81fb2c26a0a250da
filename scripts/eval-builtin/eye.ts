/**
 * The built-in model that sees, without a server around it: no route tells its words alone, and what a chat model makes of them
 * is that one's score.
 */
import { fileURLToPath } from "node:url";
import type { Picture } from "../../src/core/images.js";
import type { Described } from "../../src/core/vision.js";
import { ModelMemory } from "../../src/engine/model-memory.js";
import { createVisionEngine } from "../../src/engine/vision/engine.js";
import { visionFamilies } from "../../src/engine/vision/families.js";
import { loadRegistry } from "../../src/models/registry.js";
import { verifyWeights } from "../../src/models/verify.js";
import { systemClock } from "../../src/system.js";

const builtInModels = fileURLToPath(new URL("../../models", import.meta.url));
const workerUrl = new URL("../../dist/engine/vision/worker.js", import.meta.url);
const memoryBytesMax = 4_000_000_000;
const keepAliveMs = 600_000;

export interface Eye {
  /** Id of the model that looks. */
  readonly model: string;
  describe(picture: Picture): Promise<Described>;
  close(): Promise<void>;
}

/** Opens it. @throws Error when no built-in model sees. */
export async function openEye(): Promise<Eye> {
  const registry = { engine: "", contextTokensMax: 0, visionFamilies, visionModel: null };
  const { seer } = await loadRegistry({ folders: [builtInModels], ...registry });
  if (seer === null) throw new Error("no built-in model describes images");
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
    model: seer.manifest.id,
    describe: (picture) => engine.describe(seer, picture, { detail: "low" }, signal),
    close: () => engine.close(),
  };
}
