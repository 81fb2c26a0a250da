import { openMediaSupport } from "../../../src/engine/llama/media/open-projector.js";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { loadLlama } from "../../kit/engine/llama.js";
import { freeRules } from "../../../src/core/engine.js";
import { noTools, type SampledLogprob } from "../../../src/core/generation.js";
import type { Model } from "../../../src/core/model.js";
import { boundGrammarWork } from "../../../src/engine/native/grammar-work.js";
import { PrefixStore } from "../../../src/engine/llama/decode/prefix-store.js";
import type { JobUpdate, LlamaSettings } from "../../../src/engine/llama/protocol.js";
import type { SeededJob } from "../../../src/engine/language/seeded-job.js";
import { loadResident, type Resident } from "../../../src/engine/llama/load/resident.js";
import { tokenTypes } from "../../../src/engine/language/prompt/token-bytes.js";
import { StepWatch } from "../../../src/engine/llama/step-watch.js";
import { TickLoop } from "../../../src/engine/llama/decode/tick.js";
import { loadRegistry } from "../../../src/models/registry.js";
import { randomModelWords, writeModel, type ModelSpec } from "../../kit/models/gguf-writer.js";
import { buildVocabulary } from "../../kit/models/gguf-writer/vocabulary.js";
import { root, temporaryFolder } from "../../kit/folder.js";
import { renderHere } from "../../kit/engine/render-here.js";

/** CPU time of a grammar for one token, in milliseconds; null where the library that bounds it cannot be compiled. Loaded first, as in a server. */
export const grammarMsMax = boundGrammarWork(join(root, "dist/native"));

/** Copies of sequences, aborts and media; loaded first, too. Absent where there is no compiler. */
const media = openMediaSupport(join(root, "dist/native"));
/** Why there are none; null: there are. */
export const missingNative = media.hooks.type === "absent" ? media.hooks.reason : null;

/** Sequences of the context: seven slots and the spare one. */
export const slots = 8;

/**
 * Loads a random model with eight slots in this thread, so that its batches can be inspected. Its weights are not quantised, so
 * that the log probabilities of two evaluations differ by a thousandth of a nat instead of some hundredths.
 */
export async function residentWithEightSlots(
  folder: string = temporaryFolder(),
  changes: Partial<ModelSpec> = {},
  drafts: Pick<LlamaSettings, "forcedTokens" | "promptLookup"> = { forcedTokens: "on", promptLookup: "auto" },
  isNative = true,
): Promise<Resident> {
  const file = join(folder, "random.gguf");
  if (!existsSync(file)) await writeModel(file, { contextLength: 512, weights: "F32", ...changes });
  const registry = await loadRegistry({ folders: [folder], contextTokensMax: 512 });
  const model = registry.find("random") as Model;
  const llama = await loadLlama();
  const settings = {
    cores: 1,
    threads: 1,
    nativeFolder: null,
    keepsThreads: false,
    imageTokensMax: null,
    threadPlansFile: null,
    slotsPerModel: slots - 1,
    contextTokensMax: 512,
    prefillChunkTokens: 64,
    tokenGapMsMax: 500,
    prefixCacheFolder: null,
    prefixCacheBytesMax: 0,
    prefixMemoryBytesMax: 0,
    kvCacheType: "f16",
    flashAttention: "auto",
    gpu: "off",
    ...drafts,
  } as const;
  const resident = await loadResident(llama, model, settings, {
    openRenderer: renderHere,
    chooseThreads: null,
    loadPlainly: (load) => load(),
    media: isNative ? media : openMediaSupport(null),
    steps: new StepWatch(() => performance.now()),
  });
  onTestFinished(() => resident.dispose());
  return resident;
}

/**
 * What makes a job's outcome comparable with another's: the likeliest token each time, with log probabilities. Only tokens of
 * text, so that no answer ends early.
 */
export const compared = {
  topLogprobs: 5,
  sampling: {
    temperature: 0,
    topP: 1,
    seed: 1,
    frequencyPenalty: 0,
    presencePenalty: 0,
    topK: null,
    minP: 0,
    logitBias: withoutMarks(),
  },
} as const;

function withoutMarks(): Readonly<Record<string, number>> {
  const { types } = buildVocabulary(randomModelWords, 0);
  const marks = types.flatMap((type, token) => (type === tokenTypes.normal ? [] : [String(token)]));
  return Object.fromEntries(marks.map((token) => [token, -100]));
}

/** A job whose prompt is these tokens. */
export function jobOf(
  tokens: readonly number[],
  maxTokens: number,
  changes: Partial<SeededJob> = {},
): SeededJob {
  return {
    prompt: { tokens: Uint32Array.from(tokens), startsInReasoning: false },
    teamId: "team",
    tools: [],
    toolChoice: noTools,
    rules: freeRules,
    callIdPrefix: "call_",
    reasoningTokensMax: null,
    topLogprobs: null,
    sampling: {
      temperature: 0,
      topP: 1,
      seed: 1,
      frequencyPenalty: 0,
      presencePenalty: 0,
      topK: null,
      minP: 0,
      logitBias: {},
    },
    seed: 1,
    stop: [],
    maxTokens,
    maxTokensExcludesReasoning: false,
    deterministic: false,
    ...changes,
  };
}

/** Returns `count` tokens; prompts with an equal `kind` have the same prefix. */
export function promptOf(kind: number, count: number): number[] {
  return Array.from({ length: count }, (_, at) => 40 + ((at * (kind + 3)) % 50));
}

/** Opens a prefix store. @param now without it, reading takes no time and is always worth it */
export function storeIn(
  folder: string,
  {
    bytesMax = 100_000_000,
    memoryBytesMax = 0,
    now = () => 0,
  }: { bytesMax?: number; memoryBytesMax?: number; now?: () => number } = {},
): PrefixStore {
  return new PrefixStore({ folder, bytesMax, memoryBytesMax, now });
}

/** Starts a loop and collects its updates by job. */
export function startLoop(store: PrefixStore | null = null) {
  const byJob = new Map<number, JobUpdate[]>();
  const waiting: (() => void)[] = [];
  const loop = new TickLoop({ tokenGapMsMax: 10_000, store, now: () => performance.now() }, (news) => {
    for (const item of news) byJob.set(item.job, [...(byJob.get(item.job) ?? []), item]);
    for (const wake of waiting.splice(0)) wake();
  });
  const updatesOf = (job: number): readonly JobUpdate[] => byJob.get(job) ?? [];
  /** Resolves when `condition` is true; checks it after every report. */
  const until = async (condition: () => boolean): Promise<void> => {
    while (!condition()) await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const done = async (job: number): Promise<Outcome> => {
    await until(() => updatesOf(job).some((item) => item.done));
    return outcomeOf(updatesOf(job));
  };
  return { loop, updatesOf, until, done };
}

export interface Outcome {
  readonly text: string;
  /** Sampled tokens of the text. */
  readonly tokens: number;
  /** The log probabilities of every token of the text, where they were asked for. */
  readonly logprobs: readonly SampledLogprob[];
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly finished: boolean;
  readonly error: string | null;
}

function outcomeOf(news: readonly JobUpdate[]): Outcome {
  const events = news.flatMap((item) => item.events);
  const start = events.find((event) => event.type === "generation-start");
  return {
    text: events.map((event) => (event.type === "text-delta" ? event.text : "")).join(""),
    tokens: events.reduce((sum, event) => sum + (event.type === "text-delta" ? event.tokens : 0), 0),
    logprobs: events.flatMap((event) => (event.type === "text-delta" ? (event.logprobs ?? []) : [])),
    promptTokens: start?.promptTokens ?? 0,
    cachedTokens: start?.cachedTokens ?? 0,
    finished: events.some((event) => event.type === "generation-end"),
    error: news.map((item) => item.error?.message ?? null).find((message) => message !== null) ?? null,
  };
}
