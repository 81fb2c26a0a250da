/** The runs of this process whose end is not written yet, of all kinds, and the limit on their number. */
import type { Clock } from "../../core/clock.js";
import { HearthError } from "../../core/errors.js";
import { atPercent, type Model } from "../../core/model.js";
import { noUsage } from "../../core/usage.js";
import { tooManyRuns } from "../too-many-runs.js";
import type { Run } from "./run.js";
import type { RunContext } from "./run-context.js";
import { createSettleRetries, type SettleRetries } from "./settle-retries.js";

export class LiveRuns {
  /** Runs that may be live at a time, whatever they wait for. */
  readonly runsActiveMax: number;
  readonly #settleRetries: SettleRetries;
  /** Runs that are not settled yet. */
  readonly #runs = new Map<string, Run>();
  /** Ids of runs whose settlement is being retried; each promise resolves when its end is written or was given up. */
  readonly #unwritten = new Map<string, Promise<void>>();

  constructor(clock: Clock, runsActiveMax: number) {
    this.runsActiveMax = runsActiveMax;
    this.#settleRetries = createSettleRetries(clock);
  }

  /**
   * Returns the model of a run that may start, at the price of its context. A run that is refused gives its token reservation back.
   * @param choose returns the model. @throws HearthError `overloaded` when as many runs are live as may be, and what `choose` throws.
   */
  admit({ tokenReservation, pricePercent = 100 }: RunContext, choose: () => Model): Model {
    try {
      const model = choose();
      this.refuseWhenFull();
      return atPercent(model, pricePercent);
    } catch (thrown) {
      tokenReservation?.reconcile(noUsage);
      throw thrown;
    }
  }

  /** How many runs are live. */
  get size(): number {
    return this.#runs.size + this.#unwritten.size;
  }

  /** @throws HearthError `overloaded` when as many runs are live as may be. */
  refuseWhenFull(): void {
    if (this.size >= this.runsActiveMax) throw tooManyRuns();
  }

  /** Starts a run. @param work see `Run.start` */
  start(run: Run, work: () => Promise<void>): void {
    const settling = run.start(work, this.#settleRetries);
    this.#runs.set(run.id, run);
    void settling.then(({ unwritten }) => {
      this.#runs.delete(run.id);
      if (unwritten === null) return;
      this.#unwritten.set(run.id, unwritten);
      void unwritten.then(() => this.#unwritten.delete(run.id));
    });
  }

  /** Starts a run that the signal aborts, and waits until it is settled, or its settlement is being retried. */
  async runToEnd(run: Run, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    this.start(run, work);
    const abort = (): void => run.abort(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    await run.finished;
    signal.removeEventListener("abort", abort);
  }

  /** Whether this process will write the end of a run. */
  has(id: string): boolean {
    return this.#runs.has(id) || this.#unwritten.has(id);
  }

  /** Returns a run that is not settled yet. */
  find(id: string): Run | null {
    return this.#runs.get(id) ?? null;
  }

  /** Returns the runs that are not settled yet. */
  list(): readonly Run[] {
    return [...this.#runs.values()];
  }

  /** Aborts every run; resolves when the end of each is written, or was given up because it cannot be written. */
  async close(): Promise<void> {
    const runs = this.list();
    for (const run of runs) run.abort(cutShort());
    await this.#settleRetries.close();
    await Promise.all(runs.map(({ finished }) => finished));
    await Promise.all(this.#unwritten.values());
  }
}

function cutShort(): HearthError {
  return new HearthError("overloaded", "The answer was cut short because the server is closing.", {
    retryAfterSeconds: 5,
  });
}
