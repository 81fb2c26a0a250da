/** Tokens of one answer as its server has counted them, or as a batch adds them up. */
export interface CountedTokens {
  /** Cached ones included. */
  readonly promptTokens: number;
  readonly cachedTokens: number;
  /** Without the tokens of the reasoning. */
  readonly completionTokens: number;
  readonly reasoningTokens: number;
}
