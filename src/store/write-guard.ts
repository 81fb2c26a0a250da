import { HearthError } from "../core/errors.js";

/** How many writes succeeded and failed since the database was opened. */
export interface WriteCounts {
  /** Writes that the disk has confirmed. */
  readonly synced: number;
  /** Writes that failed because the database could not be written. */
  readonly failed: number;
}

export interface WriteGuard {
  /**
   * Says as a clause why nothing may be written: a file of the database was removed, replaced or emptied since it was opened, or
   * another server uses the database. null: nothing forbids it.
   */
  readonly lost: () => string | null;
  readonly counts: () => WriteCounts;
  /**
   * Executes a write, and counts it.
   * @throws HearthError `overloaded`, without executing it, when the database was lost: what is written there is lost, too.
   */
  readonly guard: <Result>(write: () => Result, synced: boolean) => Result;
  /** The same for a write that takes time. */
  readonly guardAsync: <Result>(write: () => Promise<Result>, synced: boolean) => Promise<Result>;
}

/** Creates the guard of a database. */
export function createWriteGuard(lost: () => string | null): WriteGuard {
  let [synced, failed] = [0, 0];
  const check = (): void => {
    const reason = lost();
    if (reason !== null) throw cannotUse(reason);
  };
  const count = (thrown: unknown): unknown => {
    if (thrown instanceof HearthError && thrown.kind === "overloaded") failed += 1;
    return thrown;
  };
  return {
    lost,
    counts: () => ({ synced, failed }),
    guard(write, isSynced) {
      try {
        check();
        const result = write();
        if (isSynced) synced += 1;
        return result;
      } catch (thrown) {
        throw count(thrown);
      }
    },
    async guardAsync(write, isSynced) {
      try {
        check();
        const result = await write();
        if (isSynced) synced += 1;
        return result;
      } catch (thrown) {
        throw count(thrown);
      }
    },
  };
}

function cannotUse(reason: string): HearthError {
  return new HearthError("overloaded", "The server cannot use its database. Please try again later.", {
    retryAfterSeconds: 30,
    cause: new Error(reason),
  });
}
