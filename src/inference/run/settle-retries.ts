/**
 * Retries of run ends that could not be written, because the disk is full or another program locks the database. Each is retried until
 * it is written or the server closes; until then its run counts as active, so that the limit on active runs limits these, too. What is
 * unwritten at the close is found by the next start.
 */
import type { Clock } from "../../core/clock.js";

export type SettleRetries = ReturnType<typeof createSettleRetries>;

const retryMs = 1000;

interface Waiting {
  readonly write: () => Promise<void>;
  readonly done: () => void;
}

export function createSettleRetries(clock: Clock) {
  let waiting: Waiting[] = [];
  let isClosed = false;
  let stop = (): void => undefined;
  const tryLater = (): void => {
    stop();
    stop = clock.after(retryMs, () => void tryAll());
  };
  /** In order, up to the first that fails: the others would fail, too. */
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
    /** Retries a write. Resolves, never rejects, once it has succeeded or was given up because the server closes. */
    retry: (write: () => Promise<void>): Promise<void> =>
      new Promise((done) => {
        waiting.push({ write, done });
        if (isClosed) void tryAll();
        else if (waiting.length === 1) tryLater();
      }),
    /** Retries everything a last time; from now on, a write that fails is given up. */
    async close(): Promise<void> {
      isClosed = true;
      stop();
      await tryAll();
    },
  };
}
