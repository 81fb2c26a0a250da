/** A slot in a model's batch, held by one run until it is released. */
export interface Slot {
  /** Milliseconds the run waited for it. */
  readonly queuedMs: number;
  /**
   * Releases the slot; a second call does nothing.
   * @param tokens prompt and output tokens of the run, by which fairness between teams is measured.
   */
  release(tokens: number): void;
}

/** The priority class of a run: a client is waiting, a background response, a deferred completion, or a line of a batch. */
export type WorkClass = "interactive" | "background" | "deferred" | "batch";

export interface SlotRequest {
  /** Resolved model id. */
  readonly model: string;
  /** Number of runs that the model can process at a time. */
  readonly slots: number;
  /** As in LoadedModel. */
  readonly sharedAs?: string;
  /** Slots are shared fairly between teams. */
  readonly teamId: string;
  /** A team of weight 3 receives three times the tokens of a team of weight 1 while both have waiting runs. */
  readonly teamWeight: number;
  readonly workClass: WorkClass;
  /** Expected tokens of the run; at least the tokens of its prompt. */
  readonly tokensExpected: number;
  readonly signal: AbortSignal;
}

/** The port to the scheduler, which decides when a run may start. */
export interface Slots {
  /**
   * Waits for a slot.
   * @throws HearthError `overloaded` with `retryAfterSeconds`, at once, when the queue is full or the server is closing.
   * @throws the signal's reason when it aborts while waiting.
   */
  acquire(request: SlotRequest): Promise<Slot>;
}
