/** The machine's clock and random numbers; every other part gets them as parameters. */
import { randomBytes } from "node:crypto";
import { v7 } from "uuid";
import type { Clock } from "./core/clock.js";
import type { Random } from "./core/random.js";

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delayMs, action) {
    const timer = setTimeout(action, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

export const systemRandom: Random = {
  bytes: (size) => randomBytes(size),
  id: () => v7(),
};
