/** Whether a limit on stored rows is reached. */
export interface StorageLimit {
  /** Counts a row that is about to be stored. */
  added(): void;
  isFull(): Promise<boolean>;
}

/** Builds a limit. Counting is slow for many rows: it is done at the start, and when the limit seems to be reached. */
export function createStorageLimit(count: () => Promise<number>, rowsMax: number): StorageLimit {
  let countMax: number | null = null;
  return {
    added() {
      if (countMax !== null) countMax += 1;
    },
    async isFull() {
      if (countMax === null || countMax >= rowsMax) countMax = await count();
      return countMax >= rowsMax;
    },
  };
}
