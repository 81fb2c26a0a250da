/** Decides how long the next draft of an answer may be, by how the drafts before it went. */
import type { DraftCost } from "./cost.js";

/** On a CPU a batch of 16 tokens takes about four times as long as one token (measured). */
const lengthMax = 16;
const lengthAtFirst = 4;
/** Evaluations that drafts may have saved up, or have lost before they pause. */
const balance = { max: 4, min: -1.5 } as const;
/** Drafts that are skipped in a pause, at first and at most. */
const pause = { first: 4, max: 64 } as const;

export class DraftLength {
  readonly #cost: DraftCost;
  #length = lengthAtFirst;
  /** Evaluations saved, less those that drafts cost. */
  #balance = 0;
  #skip = 0;
  #nextPause: number = pause.first;

  constructor(cost: DraftCost) {
    this.#cost = cost;
  }

  /** The most tokens that the next draft may have, without a pause. */
  get longest(): number {
    return this.#length;
  }

  /** Returns how many tokens the next draft may have. */
  next(): number {
    if (this.#skip === 0) return this.#length;
    this.#skip -= 1;
    return 0;
  }

  /** Records how many tokens of a draft were sampled. */
  record(drafted: number, sampled: number): void {
    if (sampled === drafted) {
      if (drafted >= this.#length) this.#length = Math.min(lengthMax, this.#length * 2);
      this.#nextPause = pause.first;
    } else this.#length = Math.max(1, sampled + 1);
    this.#balance = Math.min(balance.max, this.#balance + sampled - drafted * this.#cost.perToken);
    if (this.#balance > balance.min) return;
    this.#balance = 0;
    this.#skip = this.#nextPause;
    this.#nextPause = Math.min(pause.max, this.#nextPause * 2);
  }
}
