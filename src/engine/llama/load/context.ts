/** Creates the llama.cpp context of a model: its KV cache, one sequence per slot, and the dispatch of batches. */
import type { LlamaContext, LlamaContextOptions, LlamaContextSequence, LlamaModel } from "node-llama-cpp";
import { threadsFor, threadsForBatch } from "../../worker/machine.js";
import { chooseThreadsByBatch, type BatchThreads } from "../threads/batch-threads.js";
import type { Adapter } from "../../../core/model.js";
import type { LlamaSettings } from "../protocol.js";
import { adapterOptions, namingAdapter } from "./adapters.js";
import { countSequences } from "./memory-estimate.js";
import { serialiseFirstSample } from "./sampling-order.js";

/** Numbers of prompt tokens in one tick. */
export interface PromptChunks {
  /** Where it must not depend on time, and before the cost of a prompt token is measured. */
  readonly fixed: number;
  /** At most, beside decoding generations. */
  readonly besideAnswersMax: number;
  /** At most, while no generation decodes. */
  readonly idleMax: number;
}

export interface ModelContext {
  readonly context: LlamaContext;
  /** One for each slot, ordered by id. */
  readonly sequences: readonly LlamaContextSequence[];
  readonly promptChunks: PromptChunks;
  /** `cpu`, or the GPU's kind when any layer is there. */
  readonly device: string;
  /** The threads of its batches; null where a setting fixes them. */
  readonly threads: BatchThreads | null;
}

/** A chunk of this size delays other generations by some tenths of a second on a CPU, by a few milliseconds on a GPU. */
const chunkTokensOnCpu = 128;
const chunkTokensOnGpu = 512;
/** The same where measurements show that it does not delay them too long: a prompt of 4,000 tokens is done a third sooner. */
const measuredChunkTokensOnCpu = 256;
/** While no generation decodes, no answer waits for a chunk. */
const idleChunkTokensMax = 512;

/** Other batch sizes are computed an eighth slower: the buffers lose the alignment that vector instructions need. */
const batchMultiple = 64;

/** Checkpoints of one sequence, where its state cannot be truncated; the oldest is dropped first. */
const checkpointOptions = { max: 4, interval: false, maxMemory: 268_435_456 } as const;

/** More microtasks than the library runs between a request for a token and the queueing of that token. */
const microtasksToQueue = 12;

export interface ContextNeeds {
  readonly contextTokens: number;
  readonly weightsBytes: number;
  readonly adapters: readonly Adapter[];
}

/**
 * Creates the context and reserves its memory.
 * @throws the library's error when there is too little memory; an Error that names the adapter that cannot be applied.
 */
export async function createModelContext(
  weights: LlamaModel,
  { contextTokens, weightsBytes, adapters }: ContextNeeds,
  settings: LlamaSettings,
): Promise<ModelContext> {
  const onGpu = weights.gpuLayers > 0;
  const promptChunks = choosePromptChunks(settings.prefillChunkTokens, onGpu, contextTokens);
  const sequenceCount = countSequences(settings);
  const options: LlamaContextOptions = {
    // The library keeps the last cell of a sequence free.
    contextSize: contextTokens + 1,
    sequences: sequenceCount,
    batchSize: Math.ceil((promptChunks.idleMax + sequenceCount) / batchMultiple) * batchMultiple,
    threads: settings.threads ?? threadsFor(weightsBytes, settings.cores),
    // Without it, the tokens outside of a sliding window are lost, and no prefix that ends before them can be reused.
    swaFullCache: true,
    flashAttention: settings.flashAttention === "auto" ? "auto" : settings.flashAttention === "on",
    ...kvCacheOptions(settings.kvCacheType),
    failedCreationRemedy: false,
    batching: { dispatchSchedule: onceAllAreQueued },
    ...adapterOptions(adapters),
  };
  const context = await namingAdapter(weights.llama, adapters, () => weights.createContext(options));
  serialiseFirstSample(context);
  const threads = settings.threads === null ? chooseThreadsByBatch(context) : null;
  threads?.use((tokens) => threadsByRule(weightsBytes, tokens, settings.cores));
  const device = onGpu ? String(weights.llama.gpu) : "cpu";
  const sequences = createSequences(context, sequenceCount);
  return { context, sequences, promptChunks, device, threads };
}

/** @param tokens of each chunk, as set; null where no setting fixes them */
function choosePromptChunks(tokens: number | null, onGpu: boolean, contextTokens: number): PromptChunks {
  const fixed = tokens ?? (onGpu ? chunkTokensOnGpu : chunkTokensOnCpu);
  const idleMax = Math.max(fixed, Math.min(idleChunkTokensMax, contextTokens));
  const besideAnswers = tokens ?? (onGpu ? chunkTokensOnGpu : measuredChunkTokensOnCpu);
  return { fixed, besideAnswersMax: Math.min(besideAnswers, idleMax), idleMax };
}

/** Returns the threads for a batch of a model whose threads were not measured. */
function threadsByRule(weightsBytes: number, tokens: number, cores: number): number {
  return Math.max(threadsFor(weightsBytes, cores), threadsForBatch(weightsBytes, tokens, cores));
}

/**
 * Dispatches a batch. Called when the first token of a tick is queued; the other tokens of the tick follow within the same turn of the
 * event loop, a few microtasks later. Waiting for the next turn, as the library does by default, makes a small model 5 % slower.
 */
function onceAllAreQueued(dispatch: () => void): void {
  let left = microtasksToQueue;
  const wait = (): void => {
    left -= 1;
    if (left === 0) dispatch();
    else queueMicrotask(wait);
  };
  queueMicrotask(wait);
}

function kvCacheOptions(type: LlamaSettings["kvCacheType"]) {
  if (type === "f16") return {};
  const name = type === "q8_0" ? "Q8_0" : "Q4_0";
  return { experimentalKvCacheKeyType: name, experimentalKvCacheValueType: name } as const;
}

function createSequences(context: LlamaContext, sequenceCount: number): readonly LlamaContextSequence[] {
  return Array.from({ length: sequenceCount }, () =>
    context.getSequence({ contextShift: { strategy: refuseShift }, checkpoints: checkpointOptions }),
  );
}

/** A full context ends the answer; tokens are never dropped from its beginning. */
function refuseShift(): never {
  throw new Error("the context is full");
}
