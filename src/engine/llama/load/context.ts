/** The context of a model: its KV cache, a sequence for each slot, and how batches go to the cores. */
import type { LlamaContext, LlamaContextSequence, LlamaModel } from "node-llama-cpp";
import { threadsFor } from "./machine.js";
import type { LlamaSettings } from "../protocol.js";
import { sequencesOf } from "./memory-need.js";
import { orderSampling } from "../decode/sampling-order.js";

export interface ModelContext {
  readonly context: LlamaContext;
  /** One for each slot, in order of their ids. */
  readonly sequences: readonly LlamaContextSequence[];
  /** Prompt tokens of one tick at the most. */
  readonly chunkTokens: number;
  /** `cpu`, or the GPU's kind when any layer is there. */
  readonly device: string;
}

/** A chunk of this size keeps a neighbour waiting for some tenths of a second on a CPU, for a few milliseconds on a GPU. */
const chunkTokensOnCpu = 128;
const chunkTokensOnGpu = 512;

/** A batch of an odd size is computed an eighth slower: its buffers lose the alignment that vector instructions want. */
const batchMultiple = 64;

/** What the library puts between asking a sequence for a token and queueing it, with some to spare. */
const microtasksToQueue = 12;

/** Makes the context; its memory is reserved here. @throws the library's error when there is too little. */
export async function makeContext(
  weights: LlamaModel,
  { contextTokens, weightsBytes }: { readonly contextTokens: number; readonly weightsBytes: number },
  settings: LlamaSettings,
): Promise<ModelContext> {
  const onGpu = weights.gpuLayers > 0;
  const chunkTokens = settings.prefillChunkTokens ?? (onGpu ? chunkTokensOnGpu : chunkTokensOnCpu);
  const count = sequencesOf(settings);
  const context = await weights.createContext({
    // The library keeps the last cell of a sequence free.
    contextSize: contextTokens + 1,
    sequences: count,
    batchSize: Math.ceil((chunkTokens + count) / batchMultiple) * batchMultiple,
    threads: settings.threads ?? threadsFor(weightsBytes, settings.cores),
    flashAttention: settings.flashAttention === "auto" ? "auto" : settings.flashAttention === "on",
    ...kvCacheOptions(settings.kvCacheType),
    failedCreationRemedy: false,
    batching: { dispatchSchedule: onceAllAreQueued },
  });
  orderSampling(context);
  const device = onGpu ? String(weights.llama.gpu) : "cpu";
  return { context, sequences: makeSequences(context, count), chunkTokens, device };
}

/**
 * Called when the first token of a tick is queued. The others of the tick follow within the same turn of the event loop, a few
 * microtasks later at the most: waiting for the next turn, as the library does by itself, costs a small model a twentieth.
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

function makeSequences(context: LlamaContext, count: number): readonly LlamaContextSequence[] {
  return Array.from({ length: count }, () =>
    context.getSequence({ contextShift: { strategy: refuseShift } }),
  );
}

/** A full context ends the answer; tokens are never dropped from its beginning. */
function refuseShift(): never {
  throw new Error("the context is full");
}
