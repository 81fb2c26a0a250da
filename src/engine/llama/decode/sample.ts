/** Drawing a token from the likeliest ones by temperature, top_k, top_p and min_p. Pure. */
import type { Token } from "node-llama-cpp";
import type { Sampling } from "../../../core/generation.js";

export interface Candidate {
  readonly token: Token;
  /** Natural logarithm of its probability at temperature 1. */
  readonly logprob: number;
}

/**
 * Draws as the library's chain does: top_k, top_p and min_p on the probabilities at temperature 1, then the temperature.
 * @param candidates likeliest first, at least one.
 * @param uniform gives numbers of [0, 1).
 */
export function draw(
  candidates: readonly Candidate[],
  { temperature, topK, topP, minP }: Sampling,
  uniform: () => number,
): Token {
  const [likeliest] = candidates;
  if (likeliest === undefined) throw new RangeError("nothing to draw from");
  if (temperature === 0) return likeliest.token;
  const kept = nucleus(topK === null ? candidates : candidates.slice(0, Math.max(1, topK)), topP).filter(
    ({ logprob }) => logprob >= likeliest.logprob + Math.log(minP),
  );
  const weights = kept.map(({ logprob }) => Math.exp((logprob - likeliest.logprob) / temperature));
  let left = uniform() * weights.reduce((sum, weight) => sum + weight, 0);
  for (const [index, { token }] of kept.entries()) {
    left -= weights[index] ?? 0;
    if (left < 0) return token;
  }
  return kept.at(-1)?.token ?? likeliest.token;
}

/** The fewest of the likeliest that together have the share `topP` of all. */
function nucleus(candidates: readonly Candidate[], topP: number): readonly Candidate[] {
  if (topP >= 1) return candidates;
  const total = candidates.reduce((sum, { logprob }) => sum + Math.exp(logprob), 0);
  let share = 0;
  const end = candidates.findIndex(({ logprob }) => (share += Math.exp(logprob) / total) >= topP);
  return end < 0 ? candidates : candidates.slice(0, end + 1);
}

/** Numbers of [0, 1) by mulberry32, the same for the same 32-bit seed. */
export function seededUniform(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
