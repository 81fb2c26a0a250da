import type { Model } from "../../../src/core/model.js";
import { ModelMemory } from "../../../src/engine/memory/model-memory.js";
import { ResidentModels, type ModelsDeps } from "../../../src/engine/memory/resident-models.js";
import { ember } from "../../kit/scripted/ember.js";
import { createManualClock } from "../../kit/manual-clock.js";

export const named = (id: string): Model => ({ ...ember, manifest: { ...ember.manifest, id } });

export const native = { contextTokens: 64, slots: 2, device: "cpu" };
type Options = Partial<ModelsDeps<typeof native>> & {
  readonly memoryBytesMax?: number;
  readonly roomBytes?: (plannedBytes: number) => number;
};

/** Models of 10 bytes each with memory for two; loads and unloads are recorded in order. */
export function machine({ memoryBytesMax = 20, roomBytes, ...overrides }: Options = {}) {
  const clock = createManualClock(0);
  const told: string[] = [];
  const memory = new ModelMemory({
    clock: overrides.clock ?? clock,
    memoryBytesMax,
    roomBytes: roomBytes ?? null,
    log: (message) => void told.push(message),
  });
  const models = new ResidentModels({
    clock,
    memory,
    keepAliveMs: 1000,
    estimate: () => 10,
    check: () => Promise.resolve(null),
    load: (model) => {
      told.push(`load ${model.manifest.id}`);
      return Promise.resolve(native);
    },
    unload: (model) => {
      told.push(`unload ${model.manifest.id}`);
      return Promise.resolve();
    },
    ...overrides,
  });
  return { clock, told, models };
}

/** Resolves when everything that can happen without the clock has happened. */
export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
