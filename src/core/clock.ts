/** The time. It is injected, so that tests control it; only system/clock.ts reads the system clock. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Milliseconds of a monotonic clock; only differences are meaningful. */
  monotonic(): number;
  /** Runs `action` once after `delayMs`; the returned function cancels it. */
  after(delayMs: number, action: () => void): () => void;
}
