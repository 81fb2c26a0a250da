/**
 * Ends that could not be written at once: the disk is full, another program holds the database. Each is tried again until it is
 * written or the server closes; until then its run is in hand, so that the bound on runs in hand bounds these too. What is left
 * unwritten at the close is found by the next start.
 */
import type { Clock } from "../../core/clock.js";

export interface Settling {
  /** Resolves, never rejects, once the write has succeeded, or was given up because the server closes. */
  again(write: () => Promise<void>): Promise<void>;
  /** From now on nothing is tried again: what waits is tried a last time, what fails is given up. */
  close(): Promise<void>;
}

const retryMs = 1000;

interface Waiting {
  readonly write: () => Promise<void>;
  readonly done: () => void;
}

/** Builds it over the clock. */
export function createSettling(clock: Clock): Settling {
  let waiting: Waiting[] = [];
  let isClosed = false;
  let stop = (): void => undefined;
  const tryLater = (): void => {
    stop();
    stop = clock.after(retryMs, () => void tryAll());
  };
  /** In order, up to the first that fails: the others would, too. */
  const tryAll = async (): Promise<void> => {
    const tried = waiting;
    waiting = [];
    for (const [index, { write, done }] of tried.entries()) {
      try {
        await write();
        done();
      } catch {
        waiting = [...tried.slice(index), ...waiting];
        break;
      }
    }
    if (isClosed) for (const { done } of waiting.splice(0)) done();
    else if (waiting.length > 0) tryLater();
  };
  return {
    again: (write) =>
      new Promise((done) => {
        waiting.push({ write, done });
        if (isClosed) void tryAll();
        else if (waiting.length === 1) tryLater();
      }),
    async close() {
      isClosed = true;
      stop();
      await tryAll();
    },
  };
}
