/** A place in a model's batch, held by one run until released. */
export interface Slot {
  /** Milliseconds the run waited for it. */
  readonly queuedMs: number;
  /**
   * Gives the place back; a second call does nothing.
   * @param tokens what the run was served, prompt and answer: the measure of fairness between teams.
   */
  release(tokens: number): void;
}

/** What kind of work waits: somebody looks on, a background response, a deferred completion. */
export type WorkClass = "interactive" | "background" | "deferred";

export interface SlotRequest {
  /** Resolved model id. */
  readonly model: string;
  /** How many runs that model can hold at a time. */
  readonly slots: number;
  /** Slots are shared fairly between teams. */
  readonly teamId: string;
  /** A team of weight 3 is served three times the tokens of one of weight 1, where both always wait. */
  readonly teamWeight: number;
  readonly workClass: WorkClass;
  /** Tokens the run is expected to take; its prompt at least. */
  readonly tokensExpected: number;
  readonly signal: AbortSignal;
}

/** The port to the scheduler: who may run, and when. */
export interface Slots {
  /**
   * Waits for a place.
   * @throws HearthError `overloaded` with `retryAfterSeconds`, at once, when the queue is full or the server is closing.
   * @throws the signal's reason when it aborts while waiting.
   */
  acquire(request: SlotRequest): Promise<Slot>;
}
