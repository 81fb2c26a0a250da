import type { GenerationRequest, ReasoningEffort } from "../../core/generation.js";

/** Returns the tokens after which reasoning is ended; null when there is no limit. */
export function reasoningTokensMaxOf({
  reasoningTokensMax,
  reasoningEffort,
}: Pick<GenerationRequest, "reasoningTokensMax" | "reasoningEffort">): number | null {
  return reasoningTokensMax ?? limitByEffort[reasoningEffort];
}

const limitByEffort: Readonly<Record<ReasoningEffort, number | null>> = {
  none: 0,
  low: 1024,
  medium: 8192,
  high: null,
  default: null,
};
