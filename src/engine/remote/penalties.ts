/** Penalties on engines that count the tokens of one request only, or the tokens of its prompt, too. */
import { HearthError } from "../../core/errors.js";
import type { Segment } from "./protocol.js";

/**
 * Returns the biases of a segment with the penalties for tokens of the answer that earlier segments sampled, which the engine takes for
 * the prompt.
 */
export function biasesWithPenalties(segment: Segment): ReadonlyMap<number, number> {
  const { sampling, tokens, answerTokens, logitBias } = segment;
  const { frequencyPenalty, presencePenalty } = sampling;
  if (answerTokens === 0 || (frequencyPenalty === 0 && presencePenalty === 0)) return logitBias;
  const biases = new Map(logitBias);
  const counts = new Map<number, number>();
  for (const token of tokens.slice(tokens.length - answerTokens))
    counts.set(token, (counts.get(token) ?? 0) + 1);
  for (const [token, count] of counts)
    biases.set(token, (biases.get(token) ?? 0) - count * frequencyPenalty - presencePenalty);
  return biases;
}

/** @throws HearthError `invalid_value` for penalties that the engine counts over the prompt, too. */
export function refusePromptPenalties({ sampling }: Segment, kind: string): void {
  const { repeatPenalty = 1, penaltyTokens } = sampling;
  if (repeatPenalty === 1 && penaltyTokens === undefined) return;
  const param = repeatPenalty === 1 ? "repeat_last_n" : "repeat_penalty";
  throw new HearthError("invalid_value", `${param}: the engine of this model, ${kind}, has no such penalty`, {
    param,
    code: "unsupported_parameter",
  });
}
