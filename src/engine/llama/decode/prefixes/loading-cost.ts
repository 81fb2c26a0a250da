/** Decides whether reading an evaluated prefix from disk is faster than evaluating it again, by how long earlier reads took. */

/** Reads of which the middle one counts: one that other work on the machine has disturbed changes nothing. */
const samplesMax = 5;
/** With fewer reads, reading counts as faster. */
const samplesMin = 3;
/** After so many refusals the reads are measured anew: the disk may have been busy. */
const refusalsMax = 16;

/** What reading a prefix saves. */
export interface PrefixEvaluation {
  /** Bytes that are read. */
  readonly bytes: number;
  /** Estimated time to evaluate the tokens that need not be evaluated; null when it was not measured. */
  readonly ms: number | null;
}

export class LoadingCost {
  #msPerByte: number[] = [];
  #refusals = 0;

  /** Records a read. */
  record(bytes: number, ms: number): void {
    this.#msPerByte.push(ms / Math.max(1, bytes));
    if (this.#msPerByte.length > samplesMax) this.#msPerByte.shift();
  }

  /** Returns whether a read is worth it. */
  isFaster({ bytes, ms }: PrefixEvaluation): boolean {
    const samples = [...this.#msPerByte].sort((a, b) => a - b);
    const middle = samples[Math.floor(samples.length / 2)];
    if (ms === null || middle === undefined || samples.length < samplesMin || middle * bytes < ms)
      return true;
    this.#refusals += 1;
    if (this.#refusals === refusalsMax) [this.#msPerByte, this.#refusals] = [[], 0];
    return false;
  }
}
