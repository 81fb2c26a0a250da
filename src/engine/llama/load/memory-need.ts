/** How much memory a chat model takes. */
import type { Model } from "../../../core/model.js";
import type { LlamaSettings } from "../protocol.js";

/** Compute buffers beside weights and KV cache: measured at 60 to 300 MB from the smallest to 1 B parameters. */
const overheadShare = 0.15;
const overheadBytesMin = 16_000_000;

const bytesPerValueOf = { f16: 2, q8_0: 34 / 32, q4_0: 18 / 32 } as const;

/** Sequences of a model's context: its slots, and a spare one for a team that has nothing running. */
export function sequencesOf(settings: LlamaSettings): number {
  return settings.slotsPerModel + 1;
}

/** Memory a model will take: weights, KV cache of all slots, and buffers. */
export function memoryEstimate(model: Model, settings: LlamaSettings): number {
  const { manifest, kvBytesPerToken } = model;
  const contextTokens = Math.min(manifest.contextTokens, settings.contextTokensMax);
  const cache =
    contextTokens * sequencesOf(settings) * kvBytesPerToken * (bytesPerValueOf[settings.kvCacheType] / 2);
  return Math.ceil(manifest.bytes + cache + Math.max(overheadBytesMin, overheadShare * manifest.bytes));
}
