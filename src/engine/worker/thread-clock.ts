/** The clock of worker threads and processes, which get none from the server. */
import type { Clock } from "../../core/clock.js";

export const threadClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delayMs, action) {
    const timer = setTimeout(action, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
