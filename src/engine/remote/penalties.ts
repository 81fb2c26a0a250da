/** Penalties on engines that count the tokens of one request only. */
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
