/** Estimates the memory of a GGUF model, and how long its context can be. */
import type { Model } from "../../../core/model.js";
import type { LlamaSettings } from "../protocol.js";
import { withLoadSettings } from "./load-settings.js";
import { createLongForm } from "./long-context.js";

/** Compute buffers in addition to weights and KV cache: 60 to 300 MB for models of up to 1 B parameters (measured). */
const overheadShare = 0.15;
const overheadBytesMin = 16_000_000;
/** Bytes of the attention mask for one token of a batch and one of the context, in 32 and in 16 bits. */
const maskBytes = 6;
/** Tokens of a batch with the default settings. */
const batchTokensMax = 576;

const bytesPerValue = { f16: 2, q8_0: 34 / 32, q4_0: 18 / 32 } as const;

/** Part of the memory for models that one model may take for a context of the length that it was trained with. */
const memoryShare = 0.5;
/** A shorter context is of little use: a model may take more than its share for this one. */
const usefulTokens = 8192;
const contextMultiple = 1024;

/** Returns the number of sequences in a model's context: one per slot, and one spare for a team that has no running generation. */
export function countSequences({ slotsPerModel }: LlamaSettings): number {
  return slotsPerModel + 1;
}

/** Returns the estimated bytes of weights and adapters, the KV cache of all sequences, and buffers. */
export function memoryEstimate(model: Model, settings: LlamaSettings): number {
  const { manifest, kvBytesPerToken, load } = model;
  const contextTokens = Math.min(manifest.contextTokens, settings.contextTokensMax);
  // A model that embeds reads one input at a time, with 16-bit keys and values.
  const perToken =
    manifest.kind === "chat"
      ? bytesPerToken(kvBytesPerToken, withLoadSettings(settings, load))
      : kvBytesPerToken;
  const long = createLongForm(model, settings);
  const cache = long === null ? contextTokens * perToken : cacheOfForms(model, long, contextTokens, settings);
  const adapters = load?.adapters ?? [];
  const adapterBytes = adapters.reduce((sum, { bytes }) => sum + bytes, 0);
  const projectorBytes = load?.projector === undefined ? 0 : projectorMemory(load.projector.bytes);
  return Math.ceil(fixedBytes(manifest.bytes) + adapterBytes + projectorBytes + cache);
}

/** Returns the bytes of the context of the trained length, and of the form for long prompts with its own weights. */
function cacheOfForms(model: Model, long: Model, contextTokens: number, settings: LlamaSettings): number {
  const { manifest, kvBytesPerToken } = model;
  const trained = manifest.longContext?.trainedTokens ?? contextTokens;
  const countBytes = ({ load }: Model): number =>
    bytesPerToken(kvBytesPerToken, withLoadSettings(settings, load));
  return trained * countBytes(model) + contextTokens * countBytes(long) + fixedBytes(manifest.bytes);
}

/** Buffers of an encode take 3 to 18 % of the weights (measured), and some megabytes for a small projector: a tenth is right within a tenth. */
const projectorShare = 0.1;
const projectorOverheadBytesMin = 16_000_000;

function projectorMemory(bytes: number): number {
  return bytes + Math.max(projectorOverheadBytesMin, bytes * projectorShare);
}

/** What the length of a model's context depends on. */
interface CacheCost {
  /** Bytes of the weights. */
  readonly bytes: number;
  readonly kvBytesPerToken: number;
  readonly trainedTokens: number;
}

/**
 * Returns the longest context, in tokens, for which the model takes half of the memory for models at most; at least 8,192 tokens if they
 * fit in the whole, and never more than the model was trained with.
 */
export function contextInMemory(
  { bytes, kvBytesPerToken, trainedTokens }: CacheCost,
  settings: LlamaSettings,
  memoryBytes: number,
): number {
  const tokensIn = (share: number): number =>
    (memoryBytes * share - fixedBytes(bytes)) / bytesPerToken(kvBytesPerToken, settings);
  const tokens = Math.max(tokensIn(memoryShare), Math.min(usefulTokens, tokensIn(1)));
  if (trainedTokens <= tokens) return trainedTokens;
  const whole = Math.max(1, Math.floor(tokens / contextMultiple)) * contextMultiple;
  return Math.min(trainedTokens, whole);
}

function fixedBytes(weightsBytes: number): number {
  return weightsBytes + Math.max(overheadBytesMin, overheadShare * weightsBytes);
}

/** Returns the bytes of KV cache of one token. @param kvBytes the same with 16 bits per value */
export function cacheBytesPerToken(kvBytes: number, { kvCacheType }: LlamaSettings): number {
  return kvBytes * (bytesPerValue[kvCacheType] / 2);
}

/** Returns the bytes of one token of context in all sequences. */
function bytesPerToken(kvBytes: number, settings: LlamaSettings): number {
  return countSequences(settings) * cacheBytesPerToken(kvBytes, settings) + batchTokensMax * maskBytes;
}
