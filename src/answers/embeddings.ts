import type { PromptParts } from "../accounts/limits/prompt-estimate.js";
import type { EmbeddingInput } from "../core/embeddings/request.js";
import type { Ability } from "./require-ability.js";

/** Models that embed. */
export const embeds: Ability = { verb: "embed", has: ({ manifest }) => manifest.kind === "embedding" };

/** Returns what the limits on tokens estimate inputs by. */
export function splitInputs(inputs: readonly EmbeddingInput[]): PromptParts {
  const texts = inputs.filter((input) => typeof input === "string");
  const tokens = inputs.reduce((sum, input) => sum + (typeof input === "string" ? 0 : input.length), 0);
  return { text: texts.join("\n"), tokens };
}
