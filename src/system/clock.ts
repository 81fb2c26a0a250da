/** The machine's clock and random numbers; every other part gets them as parameters. */
import { randomBytes } from "node:crypto";
import { v7 } from "uuid";
import type { Clock } from "../core/clock.js";
import type { Random } from "../core/random.js";

/** A timer of Node.js takes no longer time: it would end at once. */
const timerMsMax = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delayMs, action) {
    let timer: NodeJS.Timeout;
    const wait = (leftMs: number): void => {
      const ms = Math.min(leftMs, timerMsMax);
      timer = setTimeout(() => (leftMs > ms ? wait(leftMs - ms) : action()), ms);
      timer.unref();
    };
    wait(delayMs);
    return () => clearTimeout(timer);
  },
};

export const systemRandom: Random = {
  bytes: (size) => randomBytes(size),
  id: () => v7(),
};
