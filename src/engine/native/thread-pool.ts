/** Threads that are kept between two tokens (thread-pool.c), where its compiled library can be used. */
import { loadNativeLibrary } from "./native-library.js";

interface ThreadPoolLibrary {
  /** Returns the number of contexts whose threads are kept; -1 for an engine build that has no place for them. */
  countPools(): number;
}

/** What became of the library, and why. */
export type ThreadPoolState =
  | { readonly type: "kept"; readonly library: ThreadPoolLibrary }
  | { readonly type: "per-token"; readonly reason: string };

/**
 * Loads the library, before the engine's own is loaded in this process. Every context created afterwards keeps its threads.
 * @param file the compiled library; null to do without
 */
export function keepThreads(file: string | null): ThreadPoolState {
  if (file === null) return { type: "per-token", reason: "it is turned off (threadPool)" };
  const library = loadNativeLibrary<ThreadPoolLibrary>(file, "countPools");
  return library.type === "loaded"
    ? { type: "kept", library: library.exports }
    : { type: "per-token", reason: library.reason };
}
