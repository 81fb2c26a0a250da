/** The libraries that the build compiles where there is a C compiler. */
import { fileURLToPath } from "node:url";
import { keepThreads, type ThreadPoolState } from "./thread-pool.js";

/** Returns the file of a library. */
export function findLibrary(name: string): string {
  return fileURLToPath(new URL(`../../../dist/native/${name}.node`, import.meta.url));
}

/** Returns the file of the library that keeps threads; null where the operator wants none. */
export function findThreadPool(setting: "auto" | "off"): string | null {
  return setting === "off" ? null : findLibrary("thread-pool");
}

/** Returns whether the engine's threads are kept between tokens, as in a server on this machine. */
export function findKeptThreads(setting: "auto" | "off"): ThreadPoolState {
  return keepThreads(findThreadPool(setting));
}
