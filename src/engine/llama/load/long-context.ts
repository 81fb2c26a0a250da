/**
 * The two forms of a model whose context is longer than what it was trained with: prompts up to about its training length are evaluated as it
 * was trained, longer ones by a second form of the same weights, whose positions are scaled by YaRN (https://arxiv.org/abs/2309.00071).
 * The second form is loaded with the first long prompt.
 */
import type { Model } from "../../../core/model.js";
import type { LlamaSettings } from "../protocol.js";

/** Part of the trained context that a prompt may fill and leave room for an answer. */
const promptShare = 0.75;

/** Returns the tokens that prompt and answer may have together, in the form that holds more. */
export function countContextTokens({ manifest }: Model, { contextTokensMax }: LlamaSettings): number {
  return Math.min(manifest.contextTokens, contextTokensMax);
}

/** Returns the form for long prompts; null if the model has one form only. */
export function createLongForm(model: Model, settings: LlamaSettings): Model | null {
  const { longContext } = model.manifest;
  const contextTokens = countContextTokens(model, settings);
  if (longContext === undefined || contextTokens <= longContext.trainedTokens) return null;
  const load = {
    ...model.load,
    yarn: { ...longContext, architecture: model.manifest.family, contextTokens },
  };
  // Half the memory, where the model's own setting does not decide: long contexts take most of it.
  const kvCacheType = model.load?.kvCacheType ?? (settings.flashAttention === "off" ? "f16" : "q8_0");
  return { ...model, fingerprint: `${model.fingerprint}-long`, load: { ...load, kvCacheType } };
}

/** Whether a prompt needs the form for long prompts, if there is one. */
export function isLong({ manifest }: Model, promptTokens: number): boolean {
  return promptTokens > (manifest.longContext?.trainedTokens ?? Number.POSITIVE_INFINITY) * promptShare;
}
