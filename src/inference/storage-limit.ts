/** Builds a limit. Counting is slow for many rows: it is done at the start, and when the limit seems to be reached. */
export function createStorageLimit(count: () => Promise<number>, rowsMax: number) {
  let countMax: number | null = null;
  return {
    /** Counts a row that is about to be stored. */
    added(): void {
      if (countMax !== null) countMax += 1;
    },
    async isFull(): Promise<boolean> {
      if (countMax === null || countMax >= rowsMax) countMax = await count();
      return countMax >= rowsMax;
    },
  };
}
