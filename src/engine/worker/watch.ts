/**
 * Watches whether a worker answers. It sends a ping each second and counts the seconds without an answer. It counts its own timers and
 * not the clock, so that a machine that was suspended, or a client that was blocked itself, ends no worker.
 */
import type { Clock } from "../../core/clock.js";

const intervalMs = 1_000;
/** One missed second can be a long step of a busy machine. */
const lateSeconds = 2;

interface WorkerWatchOptions {
  readonly clock: Clock;
  /** Seconds without an answer after which the worker is given up; asked each second without one. */
  readonly secondsMax: () => number;
  readonly ping: () => void;
  /** Called once; the watch has stopped. */
  readonly onGivenUp: (seconds: number) => void;
}

export class WorkerWatch {
  readonly #options: WorkerWatchOptions;
  #isAnswered = true;
  /** Whether this thread has had the chance to read an answer since the ping. */
  #couldRead = false;
  #secondsWithout = 0;
  #stopTimer: () => void;

  constructor(options: WorkerWatchOptions) {
    this.#options = options;
    this.#stopTimer = options.clock.after(intervalMs, () => this.#check());
  }

  get isLate(): boolean {
    return this.#secondsWithout >= lateSeconds;
  }

  answered(): void {
    this.#isAnswered = true;
    this.#secondsWithout = 0;
  }

  stop(): void {
    this.#stopTimer();
  }

  #check(): void {
    const { clock, secondsMax, ping, onGivenUp } = this.#options;
    if (this.#isAnswered) {
      this.#isAnswered = false;
      this.#couldRead = false;
      setImmediate(() => (this.#couldRead = true)).unref();
      ping();
    } else if (this.#couldRead) this.#secondsWithout += 1;
    if (this.#secondsWithout > 0 && this.#secondsWithout >= secondsMax()) onGivenUp(this.#secondsWithout);
    else this.#stopTimer = clock.after(intervalMs, () => this.#check());
  }
}
