/** The runs that have not ended, of all kinds: what they have used so far, and how to cancel one. */
import type { HearthError } from "../../core/errors.js";
import type { Ticks } from "../../core/money.js";
import type { Usage } from "../../core/usage.js";

/** A run that has not ended. Times are milliseconds since the epoch. */
export interface LiveRun {
  readonly id: string;
  readonly requestId: string;
  readonly teamId: string;
  readonly apiKeyId: string;
  readonly apiKeyName: string;
  /** Who created its key. */
  readonly userId: string;
  readonly model: string;
  /** The model's name in the request. */
  readonly requestedModel: string;
  readonly endpoint: string;
  /** Its tags and its end user. */
  readonly labels: readonly string[];
  readonly streamed: boolean;
  /** When its request was accepted. */
  readonly createTime: number;
  /** When its row was inserted; null while it waits for its model or a slot. */
  readonly startTime: number | null;
  /** Milliseconds from its acceptance to the first text; null until then. */
  readonly firstTokenMs: number | null;
  /** What it has used so far, and what that costs. */
  readonly usage: Usage;
  readonly costTicks: Ticks;
  /** Resolves, never rejects, when it is settled. */
  readonly finished: Promise<void>;
  /** Ends the run with an error. @returns false when its work has ended already; then it is not changed. */
  cancel(reason: HearthError): boolean;
}

/** The runs of this process that have not ended. As many as may be active at a time. */
export class LiveRuns {
  readonly #runs = new Map<string, LiveRun>();
  /** Runs that have ended and whose end is not written yet. */
  readonly #unwritten = new Set<string>();

  add(run: LiveRun): void {
    this.#runs.set(run.id, run);
  }

  /** @param unwritten resolves when its end is written; null: it is. */
  remove(id: string, unwritten: Promise<void> | null): void {
    this.#runs.delete(id);
    if (unwritten === null) return;
    this.#unwritten.add(id);
    void unwritten.then(() => this.#unwritten.delete(id));
  }

  /** Whether this process will write its end. */
  has(id: string): boolean {
    return this.#runs.has(id) || this.#unwritten.has(id);
  }

  find(id: string): LiveRun | null {
    return this.#runs.get(id) ?? null;
  }

  list(): readonly LiveRun[] {
    return [...this.#runs.values()];
  }
}
