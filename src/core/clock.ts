/** Time, as the house sees it. Injected, so that tests own it; only system.ts knows the machine's clock. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Milliseconds of a clock that never goes back; only differences mean anything. */
  monotonic(): number;
  /** Runs `action` once after `delayMs`; the returned function cancels it. */
  after(delayMs: number, action: () => void): () => void;
}
