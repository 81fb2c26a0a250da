import type { GenerationRequest, ReasoningEffort } from "../../core/generation.js";
import type { Model } from "../../core/model.js";

/**
 * Returns the tokens after which reasoning is ended; null when there is no limit.
 * @param unstatedMax the limit of a request that states neither an effort nor a budget; the model's own one takes precedence.
 */
export function reasoningTokensMaxOf(
  {
    reasoningTokensMax,
    reasoningEffort,
    raw,
  }: Pick<GenerationRequest, "reasoningTokensMax" | "reasoningEffort" | "raw">,
  { manifest }: Pick<Model, "manifest">,
  unstatedMax: number,
): number | null {
  if (reasoningTokensMax !== undefined) return reasoningTokensMax;
  if (reasoningEffort !== "default") return limitByEffort[reasoningEffort];
  // A raw prompt has no reasoning block that could be ended.
  const reasons = manifest.capabilities.reasoning && raw === undefined;
  return reasons ? (manifest.reasoningTokensMax ?? unstatedMax) : null;
}

const limitByEffort: Readonly<Record<Exclude<ReasoningEffort, "default">, number | null>> = {
  none: 0,
  low: 1024,
  medium: 8192,
  high: null,
};
