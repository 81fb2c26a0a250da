/** The time of this machine. The other files of the console take it from here. */

/** Returns milliseconds since 1970. */
export function now(): number {
  return Date.now();
}

/** Returns milliseconds since the page was opened, with fractions, for measuring durations. */
export function elapsed(): number {
  return performance.now();
}
