/** Limits how many tasks run at the same time; the others wait in order of arrival. */
export class ConcurrencyLimit {
  readonly #concurrencyMax: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(concurrencyMax: number) {
    this.#concurrencyMax = concurrencyMax;
  }

  /**
   * Runs the task when a place is free.
   * @throws the signal's reason when it aborts while the task waits; any error of the task.
   */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#acquire(signal);
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }

  #acquire(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#running < this.#concurrencyMax) {
      this.#running += 1;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(start), 1);
        reject(signal.reason instanceof Error ? signal.reason : new Error("aborted"));
      };
      const start = (): void => {
        signal.removeEventListener("abort", onAbort);
        resolve();
      };
      this.#waiting.push(start);
      signal.addEventListener("abort", onAbort, { once: true });
    });
  }
}
