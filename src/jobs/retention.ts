/** Deletes what has been kept for long enough: once at the start, then every hour, in small steps between other work. */
import type { Clock } from "../core/clock.js";

/** Deletes up to `limit` of what expired before `now`. @returns how many it were. */
export type Sweep = (now: number, limit: number) => Promise<number>;

export interface Retention {
  start(): void;
  /** Resolves when the step under way is done. */
  close(): Promise<void>;
}

const everyMs = 60 * 60 * 1000;
/** A step blocks the event loop for its few milliseconds. */
const stepRows = 200;
const betweenStepsMs = 20;

/** Builds it over what is to be swept. @param onTrouble told of a step that failed; the next hour tries again. */
export function createRetention(
  clock: Clock,
  sweeps: readonly Sweep[],
  onTrouble: (thrown: unknown) => void,
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
      onTrouble(thrown);
    }
    if (!isOpen) return;
    const left = sweep !== undefined && deleted === stepRows ? [sweep, ...rest] : rest;
    if (left.length > 0) later(betweenStepsMs, left);
    else later(everyMs, sweeps);
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
