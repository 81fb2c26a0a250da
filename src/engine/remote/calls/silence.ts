/**
 * Ends requests whose server is silent. What counts is an event with a part of the answer, or that says more of the prompt is evaluated:
 * neither bytes, comments and empty events, nor that the connection is open. Seconds are counted by timers and not by the clock, so that a
 * machine that was suspended, or this thread when it was blocked, ends no request.
 */
import type { Clock } from "../../../core/clock.js";
import { engineUnreachable } from "../errors.js";

/** While the server's checks succeed. Evaluating a long prompt may take as long. */
const silentSecondsMax = 600;
export const silenceMsMax = silentSecondsMax * 1_000;
/** While the server's checks fail; after as long it is checked, and again and again. */
const failingSecondsMax = 15;
/** After the server has said why the answer ends: until the numbers of its tokens and the end of the stream. */
const endingSecondsMax = 5;
const intervalMs = 1_000;

interface SilenceOptions {
  readonly clock: Clock;
  readonly server: {
    readonly url: string;
    readonly isFailing: boolean;
    checkAgain(afterMs: number): void;
  };
  /** The client's. */
  readonly signal: AbortSignal;
}

export class SilenceWatch {
  /** Aborts with the client, and when the server was silent for too long. */
  readonly signal: AbortSignal;
  readonly #silent = new AbortController();
  readonly #options: SilenceOptions;
  #silentSeconds = 0;
  #isEnding = false;
  #stopTimer: () => void;

  constructor(options: SilenceOptions) {
    this.#options = options;
    this.signal = AbortSignal.any([options.signal, this.#silent.signal]);
    this.#stopTimer = options.clock.after(intervalMs, () => this.#check());
  }

  /** The error of a server that was silent for too long; null while it was not. */
  get failure(): Error | null {
    return this.#silent.signal.aborted ? (this.#silent.signal.reason as Error) : null;
  }

  /** Called for each event that counts. */
  heard(): void {
    if (this.#isEnding) return;
    this.#silentSeconds = 0;
  }

  /** Called when the server has said why the answer ends. */
  ending(): void {
    if (this.#isEnding) return;
    this.heard();
    this.#isEnding = true;
  }

  stop(): void {
    this.#stopTimer();
  }

  #check(): void {
    const { clock, server } = this.#options;
    this.#silentSeconds += 1;
    const seconds = this.#silentSeconds;
    if (seconds < this.#secondsMax) {
      if (seconds >= failingSecondsMax) server.checkAgain(failingSecondsMax * 1_000);
      this.#stopTimer = clock.after(intervalMs, () => this.#check());
      return;
    }
    const reason = `it has sent nothing of the answer for ${seconds} s`;
    this.#silent.abort(engineUnreachable(server.url, reason));
  }

  get #secondsMax(): number {
    if (this.#isEnding) return endingSecondsMax;
    return this.#options.server.isFailing ? failingSecondsMax : silentSecondsMax;
  }
}
