import type { Clock } from "../../src/core/clock.js";

/** A clock that stands still until a test moves it. */
export interface ManualClock extends Clock {
  /** Moves time on, running what falls due in order. */
  advance(ms: number): void;
  /** Moves time on as for a machine that was suspended: what fell due meanwhile runs once, afterwards. Fast for days. */
  jump(ms: number): void;
  /** Whether something is waiting to run after exactly that delay. */
  isWaiting(delayMs: number): boolean;
  /** Resolves as soon as something is waiting to run after exactly that delay. */
  whenWaiting(delayMs: number): Promise<void>;
}

interface Timer {
  readonly delayMs: number;
  readonly dueAt: number;
  readonly action: () => void;
}

export function createManualClock(epochMs: number): ManualClock {
  let elapsed = 0;
  const timers = new Set<Timer>();
  const watchers = new Set<() => void>();
  const isWaiting = (delayMs: number): boolean => [...timers].some((timer) => timer.delayMs === delayMs);
  return {
    isWaiting,
    now: () => epochMs + elapsed,
    monotonic: () => elapsed,
    after(delayMs, action) {
      const timer = { delayMs, dueAt: elapsed + delayMs, action };
      timers.add(timer);
      for (const look of watchers) look();
      return () => void timers.delete(timer);
    },
    advance(ms) {
      const until = elapsed + ms;
      for (;;) {
        const next = [...timers].filter((timer) => timer.dueAt <= until).sort((a, b) => a.dueAt - b.dueAt)[0];
        if (next === undefined) break;
        timers.delete(next);
        elapsed = Math.max(elapsed, next.dueAt);
        next.action();
      }
      elapsed = until;
    },
    jump(ms) {
      elapsed += ms;
      const due = [...timers].filter((timer) => timer.dueAt <= elapsed).sort((a, b) => a.dueAt - b.dueAt);
      for (const timer of due) if (timers.delete(timer)) timer.action();
    },
    whenWaiting(delayMs) {
      return new Promise((resolve) => {
        const look = (): void => {
          if (!isWaiting(delayMs)) return;
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
        look();
      });
    },
  };
}
