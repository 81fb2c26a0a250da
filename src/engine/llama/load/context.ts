/** Creates the llama.cpp context of a model: its KV cache, one sequence per slot, and the dispatch of batches. */
import { basename } from "node:path";
import type {
  LlamaContext,
  LlamaContextOptions,
  LlamaContextSequence,
  LlamaModel,
  Llama,
} from "node-llama-cpp";
import { threadsFor, threadsForBatch } from "../../worker/machine.js";
import { chooseThreadsByBatch, type BatchThreads } from "../threads/batch-threads.js";
import type { Adapter } from "../../../core/model.js";
import type { LlamaSettings } from "../protocol.js";
import { countSequences } from "./memory-estimate.js";
import { contextReason, withNativeReason } from "./native-reason.js";

/** Numbers of prompt tokens in one tick. */
export interface PromptChunks {
  /** Where it must not depend on time, and before the cost of a prompt token is measured. */
  readonly fixed: number;
  /** At most, beside decoding generations. */
  readonly besideAnswersMax: number;
  /** At most, while no generation decodes. */
  readonly idleMax: number;
}

interface ModelContext {
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

interface ContextNeeds {
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

/**
 * LoRA adapters as llama.cpp applies them: to a whole context, when it is created. Returns the option of a context that applies
 * adapters.
 */
function adapterOptions(adapters: readonly Adapter[]) {
  if (adapters.length === 0) return {};
  return { lora: { adapters: adapters.map(({ path, scale }) => ({ filePath: path, scale })) } };
}

/**
 * Creates a context with adapters. The caller creates one context at a time.
 * @throws Error that names the adapter that cannot be applied, with the library's own reason; any other error of `create`.
 */
async function namingAdapter<Context>(
  llama: Llama,
  adapters: readonly Adapter[],
  create: () => Promise<Context>,
): Promise<Context> {
  try {
    return await withNativeReason(llama, contextReason, create);
  } catch (thrown) {
    const { message, cause } = thrown instanceof Error ? thrown : new Error(String(thrown));
    const original = cause instanceof Error ? cause.message : message;
    const failed = adapters.find(({ path }) => original.includes(path));
    if (failed === undefined) throw thrown;
    const name = basename(failed.path);
    const reason = message.replaceAll(failed.path, name);
    throw new Error(`its LoRA adapter '${name}' cannot be applied: ${reason}`, { cause: thrown });
  }
}

/** The methods of the addon's context that are wrapped here; they are missing from the library's types. */
interface NativeContext {
  initBatch(size: number): void;
  addToBatch(sequence: number, first: number, tokens: Uint32Array, logits: Uint32Array): Uint32Array;
  sampleToken(...args: readonly unknown[]): Promise<unknown>;
}

/**
 * Ensures that a batch's logits are in order before several samplers read them. When prompts of different lengths share a batch,
 * llama.cpp leaves the rows in the order of computation and reorders them at the first read. The library reads from several threads
 * at once, and a read during the reordering would sample from another sequence's row. Makes the first sampler of a batch run alone
 * when the batch holds more than one token of a sequence.
 */
function serialiseFirstSample(context: LlamaContext): void {
  const { _ctx: native } = context as unknown as { readonly _ctx: NativeContext };
  const original = {
    initBatch: native.initBatch.bind(native),
    addToBatch: native.addToBatch.bind(native),
    sampleToken: native.sampleToken.bind(native),
  };
  let mayReorder = false;
  let firstSample: Promise<unknown> | null = null;
  const ordered: NativeContext = {
    initBatch(size) {
      mayReorder = false;
      firstSample = null;
      original.initBatch(size);
    },
    addToBatch(sequence, first, tokens, logits) {
      mayReorder ||= tokens.length > 1;
      return original.addToBatch(sequence, first, tokens, logits);
    },
    sampleToken(...args) {
      const sample = (): Promise<unknown> => original.sampleToken(...args);
      if (!mayReorder) return sample();
      if (firstSample !== null) return firstSample.then(sample, sample);
      return (firstSample = sample());
    },
  };
  // The addon's methods are read-only.
  for (const [name, value] of Object.entries(ordered))
    Object.defineProperty(native, name, { value, configurable: true });
}
