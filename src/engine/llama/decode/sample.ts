/** Samples a token from candidates by temperature, top_k, top_p and min_p. Pure. */
import type { Token } from "node-llama-cpp";
import type { Sampling } from "../../../core/generation.js";
import type { TokenCandidate } from "../../language/answer/sampled-token.js";

/**
 * Samples in the order of the library's chain: top_k, top_p and min_p on the probabilities at temperature 1, then the temperature.
 * @param candidates most likely first, at least one.
 * @param uniform returns numbers in [0, 1).
 */
export function sampleToken(
  candidates: readonly TokenCandidate[],
  { temperature, topK, topP, minP }: Sampling,
  uniform: () => number,
): Token {
  const [mostLikely] = candidates;
  if (mostLikely === undefined) throw new RangeError("there is no candidate to sample from");
  if (temperature === 0) return mostLikely.token;
  const kept = nucleus(topK === null ? candidates : candidates.slice(0, Math.max(1, topK)), topP).filter(
    ({ logprob }) => logprob >= mostLikely.logprob + Math.log(minP),
  );
  const weights = kept.map(({ logprob }) => Math.exp((logprob - mostLikely.logprob) / temperature));
  let left = uniform() * weights.reduce((sum, weight) => sum + weight, 0);
  for (const [index, { token }] of kept.entries()) {
    left -= weights[index] ?? 0;
    if (left < 0) return token;
  }
  return kept.at(-1)?.token ?? mostLikely.token;
}

/** Returns the smallest set of most likely candidates whose total probability reaches `topP`. */
function nucleus(candidates: readonly TokenCandidate[], topP: number): readonly TokenCandidate[] {
  if (topP >= 1) return candidates;
  const total = candidates.reduce((sum, { logprob }) => sum + Math.exp(logprob), 0);
  let share = 0;
  const end = candidates.findIndex(({ logprob }) => (share += Math.exp(logprob) / total) >= topP);
  return end < 0 ? candidates : candidates.slice(0, end + 1);
}

/** Returns a generator of numbers in [0, 1) (mulberry32), reproducible for a 32-bit seed. */
export function seededUniform(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
