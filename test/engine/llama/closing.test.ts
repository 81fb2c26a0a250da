import { expect, it } from "vitest";
import { createLlamaEngine } from "../../../src/engine/llama/engine.js";
import { createTextThread } from "../../../src/engine/text/thread.js";
import { ModelMemory } from "../../../src/engine/memory/model-memory.js";
import { systemClock, systemRandom } from "../../../src/system/clock.js";
import { ember } from "../../kit/scripted/ember.js";
import { gate } from "../../kit/until.js";

it("a model that is still being checked when the engine closes starts no worker", async () => {
  const looking = gate();
  const settings = {
    cores: 1,
    threads: null,
    nativeFolder: null,
    keepsThreads: false,
    imageTokensMax: null,
    threadPlansFile: null,
    slotsPerModel: 1,
    contextTokensMax: 256,
    prefillChunkTokens: null,
    tokenGapMsMax: 500,
    prefixCacheFolder: null,
    prefixCacheBytesMax: 0,
    prefixMemoryBytesMax: 0,
    kvCacheType: "f16",
    flashAttention: "auto",
    forcedTokens: "on",
    promptLookup: "auto",
    gpu: "auto",
  } as const;
  const thread = createTextThread({
    settings,
    clock: systemClock,
    workerUrl: new URL("../../../dist/engine/text/worker.js", import.meta.url),
    log: () => undefined,
  });
  const engine = createLlamaEngine({
    ...thread,
    settings,
    random: systemRandom,
    clock: systemClock,
    memory: new ModelMemory({ clock: systemClock, memoryBytesMax: Number.MAX_SAFE_INTEGER }),
    keepAliveMs: 1000,
    verify: () => looking.opened.then(() => null),
    trials: { model: () => Promise.resolve(null), projector: () => Promise.resolve(null) },
    onProjectorProblem: () => undefined,
  });
  const loading = engine.load(ember);
  await engine.close();
  looking.open();
  await expect(loading).rejects.toThrow(/shutting down/);
});
