/** Work that so many at a time may do, the others in the order in which they came. */
export class Turns {
  readonly #atATime: number;
  readonly #waiting: (() => void)[] = [];
  #working = 0;

  constructor(atATime: number) {
    this.#atATime = atATime;
  }

  /**
   * Does the work when its turn has come.
   * @throws the signal's reason when it aborts before that, and whatever the work throws.
   */
  async take<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#comes(signal);
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#working -= 1;
      else next();
    }
  }

  #comes(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#working < this.#atATime) {
      this.#working += 1;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(turn), 1);
        reject(signal.reason instanceof Error ? signal.reason : new Error("aborted"));
      };
      const turn = (): void => {
        signal.removeEventListener("abort", onAbort);
        resolve();
      };
      this.#waiting.push(turn);
      signal.addEventListener("abort", onAbort, { once: true });
    });
  }
}
