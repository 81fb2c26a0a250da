/**
 * Decides how many prompt tokens one tick evaluates: a large chunk when no generation is decoding, a smaller one beside generations, and
 * fewer still when that would delay them too long. Measures the cost of a prompt token from earlier ticks.
 */

import type { PromptChunks } from "../load/context.js";

export interface PrefillLimits {
  readonly chunks: PromptChunks;
  /** Time between two tokens of a decoding generation that a chunk should not exceed. */
  readonly tokenGapMsMax: number;
}

/** Smaller chunks cost more in extra batches than they save in waiting. */
const chunkTokensMin = 16;
/**
 * From this number of prompt tokens on, llama.cpp computes attention on CPUs in tiles (GGML_FA_TILE_Q is 64; the first token is evaluated
 * together with the tokens of the answers): in a long context a token then takes a fraction of the time.
 */
const tileTokens = 65;
/** A chunk of one tile may exceed the gap by this factor. Smaller chunks would take several times as long for the same prompt. */
const tileGapFactor = 1.5;
/** Time of a chunk while no generation decodes: a client that leaves frees its slot after the chunk. */
const idleChunkMsMax = 200;

/** A tick as it was. */
export interface MeasuredTick {
  /** Generations that sampled a token. */
  readonly decoding: number;
  readonly promptTokens: number;
  readonly ms: number;
}

/** Measurements of which the middle one counts: one that other work on the machine has disturbed changes nothing. */
const samplesMax = 5;

export class PrefillBudget {
  readonly #limits: PrefillLimits;
  /** Milliseconds per prompt token of the last chunks, of those that are computed in tiles and of smaller ones. */
  readonly #msPerToken = { inTiles: [] as number[], below: [] as number[] };
  /** Milliseconds of the last ticks without prompt tokens, by the number of decoding generations. */
  readonly #decodeMs = new Map<number, number[]>();

  constructor(limits: PrefillLimits) {
    this.#limits = limits;
  }

  /**
   * Returns the number of prompt tokens for the next tick.
   * @param decoding number of decoding generations.
   * @param isFixed whether it must not depend on time.
   */
  tokensForTick(decoding: number, isFixed = false): number {
    const { chunks, tokenGapMsMax } = this.#limits;
    const { msPerToken } = this;
    if (isFixed || msPerToken === null) return chunks.fixed;
    if (decoding === 0) {
      const quick = Math.floor(idleChunkMsMax / msPerToken);
      return Math.max(chunks.fixed, Math.min(chunks.idleMax, quick));
    }
    return this.#tokensBeside(this.#estimateDecodeMs(decoding), chunks.besideAnswersMax, tokenGapMsMax);
  }

  /** Milliseconds per prompt token; null while it is not measured. */
  get msPerToken(): number | null {
    return median(this.#msPerToken.inTiles) ?? median(this.#msPerToken.below);
  }

  /** @param decodeMs time of the answers' own tokens */
  #tokensBeside(decodeMs: number, most: number, gapMs: number): number {
    const small = median(this.#msPerToken.below) ?? Number.POSITIVE_INFINITY;
    // A token never takes longer in a tile. So a larger chunk is tried again as soon as a shorter context makes small ones cheap.
    const inTiles = Math.min(median(this.#msPerToken.inTiles) ?? Number.POSITIVE_INFINITY, small);
    const affordable = Math.floor((gapMs - decodeMs) / inTiles);
    if (affordable >= tileTokens || most < tileTokens) return within(chunkTokensMin, affordable, most);
    if (tileTokens * inTiles <= tileGapFactor * gapMs - decodeMs) return tileTokens;
    const affordableSmall = small === Number.POSITIVE_INFINITY ? affordable : (gapMs - decodeMs) / small;
    return within(chunkTokensMin, Math.floor(affordableSmall), tileTokens - 1);
  }

  /** Records a tick. One with a few prompt tokens says nothing: it mostly decodes. */
  recordTick({ decoding, promptTokens, ms }: MeasuredTick): void {
    if (promptTokens === 0 && decoding > 0) {
      const samples = this.#decodeMs.get(decoding) ?? [];
      this.#decodeMs.set(decoding, samples);
      keep(samples, ms);
    }
    // The batch holds the next tokens of the answers, too, whose time the prompt does not cause.
    if (promptTokens < chunkTokensMin) return;
    const samples = promptTokens < tileTokens ? this.#msPerToken.below : this.#msPerToken.inTiles;
    keep(samples, Math.max(0, ms - this.#estimateDecodeMs(decoding)) / promptTokens);
  }

  #estimateDecodeMs(decoding: number): number {
    return decoding === 0 ? 0 : (median(this.#decodeMs.get(decoding) ?? []) ?? 0);
  }
}

/** Returns the number, but at least `least` and at most `most`, which may be less. */
function within(least: number, value: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

function keep(samples: number[], sample: number): void {
  samples.push(sample);
  if (samples.length > samplesMax) samples.shift();
}

function median(samples: readonly number[]): number | null {
  return [...samples].sort((a, b) => a - b)[Math.floor(samples.length / 2)] ?? null;
}
