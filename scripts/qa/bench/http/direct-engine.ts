import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { freeRules, type DecodeJob, type Engine } from "../../../../src/core/engine.js";
import { noTools } from "../../../../src/core/generation.js";
import type { Model, ModelManifest } from "../../../../src/core/model.js";
import { usableCores, usableMemoryBytes } from "../../../../src/engine/worker/machine.js";
import { createLlamaEngine } from "../../../../src/engine/llama/engine.js";
import { createTextThread } from "../../../../src/engine/text/thread.js";
import { ModelMemory } from "../../../../src/engine/memory/model-memory.js";
import { systemClock, systemRandom } from "../../../../src/system/clock.js";
import { workerUrls } from "../../../../test/kit/worker-urls.js";
import { root } from "../../world/root.js";
import { tinyModel } from "../../world/server.js";

/** Runs a question directly on the engine. @returns the number of tokens */
export async function askEngine(
  engine: Engine,
  model: Model,
  question: string,
  maxTokens: number,
): Promise<number> {
  const messages = [{ role: "user", content: question }] as const;
  const prompt = await engine.prompt(model, { messages, tools: [], reasoningEffort: "none" });
  const sampling = {
    temperature: 0,
    topP: 1,
    seed: 1,
    frequencyPenalty: 0,
    presencePenalty: 0,
    topK: null,
    minP: 0,
    logitBias: {},
  };
  const job: DecodeJob = {
    prompt,
    teamId: "bench",
    sampling,
    tools: [],
    toolChoice: noTools,
    rules: freeRules,
    callIdPrefix: "call_",
    reasoningTokensMax: null,
    topLogprobs: null,
    stop: [],
    maxTokens,
    maxTokensExcludesReasoning: true,
    deterministic: false,
  };
  let tokens = 0;
  for await (const event of engine.generate(model, job, new AbortController().signal))
    if (event.type === "text-delta") tokens += event.tokens;
  return tokens;
}

/** Creates the real engine in this process, with the default settings of a server. */
export function directEngine(): Engine {
  const settings = {
    cores: usableCores(),
    threads: null,
    nativeFolder: null,
    keepsThreads: false,
    imageTokensMax: null,
    threadPlansFile: null,
    slotsPerModel: 4,
    contextTokensMax: 8192,
    prefillChunkTokens: 128,
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
    workerUrl: workerUrls.workerUrl,
    log: () => undefined,
  });
  return createLlamaEngine({
    ...thread,
    settings,
    random: systemRandom,
    clock: systemClock,
    memory: new ModelMemory({ clock: systemClock, memoryBytesMax: usableMemoryBytes() }),
    keepAliveMs: 3_600_000,
    verify: () => Promise.resolve(null),
    trials: { model: () => Promise.resolve(null), projector: () => Promise.resolve(null) },
    onProjectorProblem: () => undefined,
  });
}

/** Returns the model that every section uses, as the engine expects it. */
export async function readTinyModel(): Promise<Model> {
  const folder = join(root, "models", tinyModel);
  const manifest = JSON.parse(await readFile(join(folder, "manifest.json"), "utf8")) as ModelManifest;
  return {
    manifest,
    path: join(folder, manifest.file),
    unusable: null,
    kvBytesPerToken: 0,
    fingerprint: "fp_bench",
  };
}
