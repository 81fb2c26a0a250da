/**
 * Decides how many prompt tokens one tick evaluates: a large chunk when no generation is decoding, a smaller one beside generations, and
 * fewer still when that would delay them too long. Measures the cost of a prompt token from earlier ticks.
 */

export interface PrefillLimits {
  /** Maximum number of prompt tokens in one tick. */
  readonly chunkTokensMax: number;
  /** The same while no generation decodes. */
  readonly idleChunkTokensMax: number;
  /** Time between two tokens of a decoding generation that a chunk should not exceed. */
  readonly tokenGapMsMax: number;
}

/** Smaller chunks cost more in extra batches than they save in waiting. */
const chunkTokensMin = 16;
/** Time of a chunk while no generation decodes: a client that leaves frees its slot after the chunk. */
const idleChunkMsMax = 200;

export class PrefillBudget {
  readonly #limits: PrefillLimits;
  /** Moving average of milliseconds per prompt token; 0 before the first measurement. */
  #msPerToken = 0;

  constructor(limits: PrefillLimits) {
    this.#limits = limits;
  }

  /**
   * Returns the number of prompt tokens for the next tick.
   * @param decoding number of decoding generations.
   * @param isFixed whether it must not depend on time.
   */
  tokensForTick(decoding: number, isFixed = false): number {
    const { chunkTokensMax, idleChunkTokensMax, tokenGapMsMax } = this.#limits;
    if (isFixed || this.#msPerToken === 0) return chunkTokensMax;
    if (decoding === 0) {
      const quick = Math.floor(idleChunkMsMax / this.#msPerToken);
      return Math.max(chunkTokensMax, Math.min(idleChunkTokensMax, quick));
    }
    const affordable = Math.floor(tokenGapMsMax / this.#msPerToken);
    return Math.max(Math.min(chunkTokensMin, chunkTokensMax), Math.min(chunkTokensMax, affordable));
  }

  /** Records the duration of a tick. Ignores ticks with few prompt tokens, which mostly measure decoding. */
  recordTick(promptTokens: number, tickMs: number): void {
    if (promptTokens < chunkTokensMin) return;
    const measured = tickMs / promptTokens;
    this.#msPerToken += this.#msPerToken === 0 ? measured : (measured - this.#msPerToken) / 4;
  }
}
