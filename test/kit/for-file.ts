/** What all tests of a file share, and must leave as they found it. */
import { beforeAll } from "vitest";
import type { Finished } from "./folder.js";

/**
 * Returns something for all tests of a file, which is made before the first of them. Call it outside of tests.
 * @param prepare makes it; what it gives to `finished` runs after the last test, the newest first
 */
export function forFile<T>(prepare: (finished: Finished) => Promise<T>): () => T {
  let made: { readonly value: T } | null = null;
  beforeAll(async () => {
    const cleanUps: Parameters<Finished>[0][] = [];
    made = { value: await prepare((cleanUp) => void cleanUps.unshift(cleanUp)) };
    return async () => {
      for (const cleanUp of cleanUps) await cleanUp();
    };
  });
  return () => {
    if (made === null) throw new Error("it is made before the first test of the file");
    return made.value;
  };
}
