import type { Token } from "node-llama-cpp";
import type { SampledLogprob, TokenLogprob } from "../../../core/generation.js";
import type { TokenBytes } from "../prompt/token-bytes.js";

export interface TokenCandidate {
  readonly token: Token;
  /** Natural logarithm of its probability at temperature 1. */
  readonly logprob: number;
}

export interface SampledToken {
  readonly token: Token;
  /**
   * The most likely tokens for this position, most likely first, with the model's own probabilities; null where they were not
   * requested.
   */
  readonly candidates: readonly TokenCandidate[] | null;
}

/** Reported for a token that is not among the thousand most likely ones, or that was inserted instead of sampled. */
const logprobMin = -100;

/**
 * Returns the log probability of a sampled token and of the most likely alternatives.
 * @param candidates most likely first; null: they were not requested.
 * @param top number of alternatives to report; null: no log probabilities.
 */
export function reportLogprob(
  tokenBytes: TokenBytes,
  token: number,
  candidates: readonly TokenCandidate[] | null,
  top: number | null,
): SampledLogprob | null {
  if (candidates === null || top === null) return null;
  const present = ({ token: each, logprob }: { token: number; logprob: number }): TokenLogprob => ({
    text: tokenBytes.display(each),
    bytes: [...tokenBytes.of(each)],
    logprob: Math.max(logprob, logprobMin),
  });
  const logprob = candidates.find((candidate) => candidate.token === token)?.logprob ?? logprobMin;
  return { ...present({ token, logprob }), top: candidates.slice(0, top).map(present) };
}
