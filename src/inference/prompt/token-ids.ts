/** Checks the token ids that a request gives. */
import type { LoadedModel } from "../../core/engine.js";
import { HearthError } from "../../core/errors.js";
import type { GenerationRequest } from "../../core/generation.js";

/** Does nothing where the vocabulary is not known. @throws HearthError that names the field of the first id outside the vocabulary. */
export function checkTokenIds(
  { raw, sampling }: Pick<GenerationRequest, "raw" | "sampling">,
  { vocabularyTokens }: Pick<LoadedModel, "vocabularyTokens">,
): void {
  if (vocabularyTokens === undefined) return;
  const isOutside = (id: number): boolean => !Number.isInteger(id) || id < 0 || id >= vocabularyTokens;
  const tokens = `one of the ${vocabularyTokens} tokens of this model's vocabulary`;
  const biased = Object.keys(sampling.logitBias ?? {}).find((id) => isOutside(Number(id)));
  if (biased !== undefined) throw outside(`logit_bias.${biased}`, `the key is not ${tokens}`);
  const prompts = raw?.prompts ?? [];
  for (const [index, { prompt }] of prompts.entries()) {
    if (typeof prompt === "string") continue;
    const at = prompt.findIndex(isOutside);
    const field = prompts.length === 1 ? "prompt" : `prompt.${index}`;
    if (at >= 0) throw outside(field, `the token ${String(prompt[at])} at position ${at} is not ${tokens}`);
  }
}

function outside(param: string, problem: string): HearthError {
  return new HearthError("invalid_value", `${param}: ${problem}`, { param });
}
