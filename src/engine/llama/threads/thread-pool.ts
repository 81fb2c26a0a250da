/** Threads that are kept between two tokens (thread-pool.c), where its compiled library can be used. */
import { existsSync } from "node:fs";
import { constants } from "node:os";

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
  const perToken = (reason: string): ThreadPoolState => ({ type: "per-token", reason });
  if (file === null) return perToken("it is turned off (threadPool)");
  if (process.platform !== "linux") return perToken(`it is not made for ${process.platform}`);
  if (!existsSync(file)) return perToken("it was not compiled: there was no C compiler at the build");
  const loaded: { exports: Partial<ThreadPoolLibrary> } = { exports: {} };
  try {
    process.dlopen(loaded, file, constants.dlopen.RTLD_NOW | constants.dlopen.RTLD_GLOBAL);
  } catch (thrown) {
    return perToken(thrown instanceof Error ? thrown.message : String(thrown));
  }
  const { countPools } = loaded.exports;
  return countPools === undefined
    ? perToken(`${file} is another library`)
    : { type: "kept", library: { countPools } };
}
