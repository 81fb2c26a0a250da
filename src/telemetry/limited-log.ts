import type { Clock } from "../core/clock.js";

const pauseMs = 60_000;
const problemCharsMax = 500;

/** Returns a function that reports at most one problem a minute: a collector that is away fails every few seconds. */
export function limitedLog(
  clock: Pick<Clock, "monotonic">,
  log: (problem: string) => void,
): (problem: string) => void {
  let nextTime = Number.NEGATIVE_INFINITY;
  return (problem) => {
    const now = clock.monotonic();
    if (now < nextTime) return;
    nextTime = now + pauseMs;
    log(problem.slice(0, problemCharsMax));
  };
}
