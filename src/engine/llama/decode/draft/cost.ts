/** Measures what the drafted tokens of a tick cost, against a tick without any. */

/** Part of a tick's time that one drafted token takes, before anything is measured: 0.1 to 0.4 on two cores, for models of 4 to 640 MB. */
const usualCost = 0.25;
const limits = { min: 0.05, max: 1 } as const;

export class DraftCost {
  /** Moving averages of the milliseconds of a tick without drafts, by the number of generations. */
  readonly #plainMs = new Map<number, number>();
  #perToken = usualCost;

  /** The cost of a drafted token, as a part of the cost of a tick. */
  get perToken(): number {
    return this.#perToken;
  }

  /** Records a tick that evaluated no part of a prompt. */
  record(generations: number, drafted: number, tickMs: number): void {
    const plain = this.#plainMs.get(generations);
    if (drafted === 0) {
      // A tick that waited for the processor says nothing of the model.
      const measured = plain === undefined ? tickMs : Math.min(tickMs, plain * 3);
      this.#plainMs.set(generations, plain === undefined ? measured : plain + (measured - plain) / 16);
    } else if (plain !== undefined && plain > 0) {
      const measured = (Math.min(tickMs / plain, 1 + drafted) - 1) / drafted;
      this.#perToken += (Math.min(limits.max, Math.max(limits.min, measured)) - this.#perToken) / 16;
    }
  }
}
