/** Deletes what has expired: once at the start, then every hour, in small steps between other work. */
import type { Clock } from "../core/clock.js";

/** Deletes up to `limit` rows that expired before `now`. @returns how many were deleted. */
export type Sweep = (now: number, limit: number) => Promise<number>;

export interface Retention {
  start(): void;
  /** Resolves when the current step is done. */
  close(): Promise<void>;
}

const intervalMs = 60 * 60 * 1000;
/** A step blocks the event loop for its few milliseconds. */
const stepRows = 200;
const stepPauseMs = 20;

/** Builds the retention. @param onError called with the error of a step; the next hour retries. */
export function createRetention(
  clock: Clock,
  sweeps: readonly Sweep[],
  onError: (thrown: unknown) => void,
): Retention {
  let isOpen = false;
  let stop = (): void => undefined;
  let step: Promise<void> = Promise.resolve();
  const later = (delayMs: number, left: readonly Sweep[]): void => {
    stop = clock.after(delayMs, () => {
      step = next(left);
    });
  };
  const next = async ([sweep, ...rest]: readonly Sweep[]): Promise<void> => {
    let deleted = 0;
    try {
      deleted = (await sweep?.(clock.now(), stepRows)) ?? 0;
    } catch (thrown) {
      onError(thrown);
    }
    if (!isOpen) return;
    const left = sweep !== undefined && deleted === stepRows ? [sweep, ...rest] : rest;
    if (left.length > 0) later(stepPauseMs, left);
    else later(intervalMs, sweeps);
  };
  return {
    start() {
      isOpen = true;
      later(0, sweeps);
    },
    async close() {
      isOpen = false;
      stop();
      await step;
    },
  };
}
