import { HearthError } from "../core/errors.js";

/** How many writes succeeded and failed since the database was opened. */
export interface WriteCounts {
  /** Writes that the disk has confirmed. */
  readonly synced: number;
  /** Writes that failed because the database could not be written. */
  readonly failed: number;
}

export interface WriteGuard {
  /** Says which file of the database was removed, replaced or emptied since it was opened; null when none was. */
  readonly lostFile: () => string | null;
  readonly counts: () => WriteCounts;
  /**
   * Executes a write, and counts it.
   * @throws HearthError `overloaded`, without executing it, when a file was lost: what is written there is lost, too.
   */
  readonly guard: <Result>(write: () => Result, synced: boolean) => Result;
}

/** Creates the guard of a connection. */
export function createWriteGuard(lostFile: () => string | null): WriteGuard {
  let [synced, failed] = [0, 0];
  return {
    lostFile,
    counts: () => ({ synced, failed }),
    guard(write, isSynced) {
      try {
        const lost = lostFile();
        if (lost !== null) throw cannotUse(lost);
        const result = write();
        if (isSynced) synced += 1;
        return result;
      } catch (thrown) {
        if (thrown instanceof HearthError && thrown.kind === "overloaded") failed += 1;
        throw thrown;
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
