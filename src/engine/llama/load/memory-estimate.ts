/** Estimates the memory of a GGUF model. */
import type { Model } from "../../../core/model.js";
import type { LlamaSettings } from "../protocol.js";

/** Compute buffers in addition to weights and KV cache: 60 to 300 MB for models of up to 1 B parameters (measured). */
const overheadShare = 0.15;
const overheadBytesMin = 16_000_000;

const bytesPerValueOf = { f16: 2, q8_0: 34 / 32, q4_0: 18 / 32 } as const;

/** Returns the number of sequences in a model's context: one per slot, and one spare for a team that has no running generation. */
export function sequencesOf(settings: LlamaSettings): number {
  return settings.slotsPerModel + 1;
}

/** Returns the estimated bytes of weights, the KV cache of all sequences, and buffers. */
export function memoryEstimate(model: Model, settings: LlamaSettings): number {
  const { manifest, kvBytesPerToken } = model;
  const contextTokens = Math.min(manifest.contextTokens, settings.contextTokensMax);
  const sequences = sequencesOf(settings) * (bytesPerValueOf[settings.kvCacheType] / 2);
  // A model that embeds reads one input at a time, with 16-bit keys and values.
  const cache = contextTokens * kvBytesPerToken * (manifest.kind === "chat" ? sequences : 1);
  return Math.ceil(manifest.bytes + cache + Math.max(overheadBytesMin, overheadShare * manifest.bytes));
}
