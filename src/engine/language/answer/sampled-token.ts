import type { Token } from "node-llama-cpp";

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
