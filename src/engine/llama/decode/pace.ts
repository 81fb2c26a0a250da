/**
 * How many prompt tokens go into one tick: as many as the engine was configured to take when nobody waits for a token, fewer
 * beside decoding neighbours when a whole chunk would keep them waiting too long. Learns the cost of a prompt token from
 * the ticks themselves. Pure but for its memory.
 */

export interface PaceLimits {
  /** Prompt tokens of one tick at the most. */
  readonly chunkTokensMax: number;
  /** Time between two tokens of a decoding neighbour that a chunk should not exceed. */
  readonly tokenGapMsMax: number;
}

/** Below this a chunk costs more in batches than it saves in waiting. */
const chunkTokensMin = 16;

export class Pace {
  readonly #limits: PaceLimits;
  /** Moving average of milliseconds a prompt token; 0 until one was measured. */
  #msPerToken = 0;

  constructor(limits: PaceLimits) {
    this.#limits = limits;
  }

  /** Prompt tokens for the next tick. */
  budget(decoding: number): number {
    const { chunkTokensMax, tokenGapMsMax } = this.#limits;
    if (decoding === 0 || this.#msPerToken === 0) return chunkTokensMax;
    const affordable = Math.floor(tokenGapMsMax / this.#msPerToken);
    return Math.max(Math.min(chunkTokensMin, chunkTokensMax), Math.min(chunkTokensMax, affordable));
  }

  /** Learns from a tick that evaluated `promptTokens`; ticks with few of them say more of decoding than of prefill. */
  learn(promptTokens: number, tickMs: number): void {
    if (promptTokens < chunkTokensMin) return;
    const measured = tickMs / promptTokens;
    this.#msPerToken += this.#msPerToken === 0 ? measured : (measured - this.#msPerToken) / 4;
  }
}
