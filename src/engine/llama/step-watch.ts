/**
 * Knows whether a step of the engine's native code hangs. Such a step runs on a thread of the process's pool, so that the event loop of
 * the worker goes on and answers, though no answer of any model does.
 */

/** Time for one token to be sampled, and for one tick of a model, which may evaluate a chunk of a prompt on a slow machine. */
export const stepMsMax = { sampling: 10_000, tick: 300_000 } as const;

export class StepWatch {
  readonly #now: () => number;
  /** The times by which the running steps should have ended. */
  readonly #deadlines = new Set<{ readonly at: number }>();

  /** @param now monotonic clock, in milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Whether a step that is running should have ended. */
  get isStuck(): boolean {
    const now = this.#now();
    return [...this.#deadlines].some(({ at }) => at < now);
  }

  /** Runs a step. @param msMax the time after which it hangs */
  async run<T>(msMax: number, step: () => Promise<T>): Promise<T> {
    const deadline = { at: this.#now() + msMax };
    this.#deadlines.add(deadline);
    try {
      return await step();
    } finally {
      this.#deadlines.delete(deadline);
    }
  }
}
