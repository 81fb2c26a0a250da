/** Log probabilities as the house tells them, from a sampler's candidates. Pure. */
import type { SampledLogprob, TokenLogprob } from "../../../core/generation.js";
import type { Candidate } from "./sample.js";
import type { TokenBytes } from "../prompt/token-bytes.js";

/** What is told of a token that is not even among the thousand likeliest, or that was not sampled at all. */
const leastLogprob = -100;

/**
 * The log probability of a sampled token and of the likeliest ones in its place.
 * @param candidates likeliest first.
 * @param top how many of them to tell.
 */
export function logprobOf(
  tokenBytes: TokenBytes,
  token: number,
  candidates: readonly Candidate[],
  top: number,
): SampledLogprob {
  const told = ({ token: each, logprob }: { token: number; logprob: number }): TokenLogprob => ({
    text: tokenBytes.shown(each),
    bytes: [...tokenBytes.of(each)],
    logprob: Math.max(logprob, leastLogprob),
  });
  const logprob = candidates.find((candidate) => candidate.token === token)?.logprob ?? leastLogprob;
  return { ...told({ token, logprob }), top: candidates.slice(0, top).map(told) };
}
