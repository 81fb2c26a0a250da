import type { GenerationRequest, ReasoningEffort } from "../../core/generation.js";

/** How long a model may think before its reasoning is ended, in tokens; null: as long as it likes. */
export function reasoningTokensMaxOf({
  reasoningTokensMax,
  reasoningEffort,
}: Pick<GenerationRequest, "reasoningTokensMax" | "reasoningEffort">): number | null {
  return reasoningTokensMax ?? ofEffort[reasoningEffort];
}

const ofEffort: Readonly<Record<ReasoningEffort, number | null>> = {
  none: 0,
  low: 1024,
  medium: 8192,
  high: null,
  default: null,
};
