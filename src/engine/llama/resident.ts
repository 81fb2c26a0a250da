/**
 * A model in memory: its weights, one context with a sequence a slot, its template and its vocabulary. Knows how to load
 * itself from a manifest; what runs in the slots is generation.ts's and the order of work is tick.ts's.
 */
import {
  getModuleVersion,
  type Llama,
  type LlamaContext,
  type LlamaContextSequence,
  type LlamaModel,
  type Token,
} from "node-llama-cpp";
import { HearthError } from "../../core/errors.js";
import type { Model } from "../../core/model.js";
import { threadsFor } from "./machine.js";
import { sequencesOf } from "./residency.js";
import { createPromptMaker, type PromptMaker } from "./prompt.js";
import type { LlamaSettings } from "./protocol.js";
import { createTokenBytes, tokenTypes, type TokenBytes, type Vocabulary } from "./token-bytes.js";

export interface Resident {
  readonly model: Model;
  readonly weights: LlamaModel;
  readonly contextTokens: number;
  /** Prompt tokens of one tick at the most. */
  readonly chunkTokens: number;
  /** What a saved state of the KV cache depends on: it must never be loaded under another key. */
  readonly stateKey: string;
  /** `cpu`, or the GPU's kind when any layer is there. */
  readonly device: string;
  /** One for each slot, in order of their ids. */
  readonly sequences: readonly LlamaContextSequence[];
  readonly tokenBytes: TokenBytes;
  readonly prompts: PromptMaker;
  dispose(): Promise<void>;
}

/** A chunk of this size keeps a neighbour waiting for some tenths of a second on a CPU, for a few milliseconds on a GPU. */
const chunkTokensOnCpu = 128;
const chunkTokensOnGpu = 512;

/** A template for models that bring none: ChatML, the most common convention. */
const chatMl =
  "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor %}" +
  "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";

/**
 * Loads a model and makes its context.
 * @throws HearthError `model_unavailable` with one public sentence.
 */
export async function loadResident(llama: Llama, model: Model, settings: LlamaSettings): Promise<Resident> {
  try {
    const weights = await llama.loadModel({ modelPath: model.path, checkTensors: true });
    try {
      return await withContext(weights, model, settings);
    } catch (thrown) {
      await weights.dispose();
      throw thrown;
    }
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    const message = `The model '${model.manifest.id}' cannot be loaded: ${why.replaceAll(model.path, model.manifest.file)}`;
    throw new HearthError("model_unavailable", message, { param: "model", cause: thrown });
  }
}

/** A batch of an odd size is computed an eighth slower: its buffers lose the alignment that vector instructions want. */
const batchMultiple = 64;

/** What the library puts between asking a sequence for a token and queueing it, with some to spare. */
const microtasksToQueue = 12;

async function withContext(weights: LlamaModel, model: Model, settings: LlamaSettings): Promise<Resident> {
  const contextTokens = Math.min(
    model.manifest.contextTokens,
    settings.contextTokensMax,
    weights.trainContextSize,
  );
  const onGpu = weights.gpuLayers > 0;
  const chunkTokens = settings.prefillChunkTokens ?? (onGpu ? chunkTokensOnGpu : chunkTokensOnCpu);
  const sequences = sequencesOf(settings);
  const context = await weights.createContext({
    // The library keeps the last cell of a sequence free.
    contextSize: contextTokens + 1,
    sequences,
    batchSize: Math.ceil((chunkTokens + sequences) / batchMultiple) * batchMultiple,
    threads: settings.threads ?? threadsFor(model.manifest.bytes, settings.cores),
    flashAttention: settings.flashAttention === "auto" ? "auto" : settings.flashAttention === "on",
    ...kvCacheOptions(settings.kvCacheType),
    failedCreationRemedy: false,
    batching: { dispatchSchedule: onceAllAreQueued },
  });
  const vocabulary = readVocabulary(weights);
  const tokenBytes = createTokenBytes(vocabulary, (token) => weights.detokenize([token as Token], true));
  return {
    model,
    weights,
    contextTokens,
    stateKey: [model.fingerprint, settings.kvCacheType, contextTokens, await getModuleVersion()].join(" "),
    chunkTokens,
    device: onGpu ? String(weights.llama.gpu) : "cpu",
    sequences: makeSequences(context, sequences),
    tokenBytes,
    prompts: createPromptMaker({
      template: weights.fileInfo.metadata.tokenizer?.chat_template ?? chatMl,
      specialTexts: specialTexts(vocabulary),
      bosText: weights.tokens.bosString ?? "",
      eosText: weights.tokens.eosString ?? "",
      prependToken: weights.tokens.shouldPrependBosToken ? weights.tokens.bos : null,
      contextTokens,
      longestTokenBytes: tokenBytes.longestBytes,
      tokenize: (text, specialTokens) => weights.tokenize(text, specialTokens),
    }),
    async dispose() {
      await context.dispose();
      await weights.dispose();
    },
  };
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

function readVocabulary(weights: LlamaModel): Vocabulary {
  const { ggml } = weights.fileInfo.metadata.tokenizer ?? {};
  return {
    tokenizer: ggml?.model ?? "",
    tokens: ggml?.tokens ?? [],
    types: ggml?.token_type ?? [],
  };
}

function specialTexts(vocabulary: Vocabulary): readonly string[] {
  const special: readonly number[] = [tokenTypes.control, tokenTypes.userDefined];
  return vocabulary.tokens.filter((_, token) =>
    special.includes(vocabulary.types[token] ?? tokenTypes.normal),
  );
}
