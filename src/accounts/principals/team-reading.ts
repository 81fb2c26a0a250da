/** What was read of a team together with a key, and how long a request relies on what was read for it. */
import type { Ticks } from "../../core/money.js";
import type { TeamLimits } from "./team-limit.js";

/** What a request needs to know of its team, so that what the team does not have is not read. */
export interface TeamReading {
  readonly budgets: boolean;
  /** All its rate limits; null where it has more than are read with a key. */
  readonly limits: readonly TeamLimits[] | null;
  /** Its credit; null where a monthly limit may allow less. */
  readonly credit: Ticks | null;
}

/** What was read longer ago is read again: a request may wait for its body, its model or a slot. */
const readingMsMax = 1_000;

/** Whether what was read at `at` is still used at `now`, both in milliseconds of the monotonic clock. */
export function isRecent(at: number, now: number): boolean {
  return now - at <= readingMsMax;
}

interface Reader {
  readonly teamHas?: TeamReading;
  readonly readAt?: number;
}

/** Returns what was read with the key of a principal; null when nothing was, or too long ago. */
export function recentReading({ teamHas, readAt }: Reader, now: number): TeamReading | null {
  return teamHas !== undefined && readAt !== undefined && isRecent(readAt, now) ? teamHas : null;
}
