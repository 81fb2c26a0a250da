/** Samples the server's resident memory over time. */
import { residentBytes } from "../world/processes.js";

const everyMs = 1000;

export interface MemoryWatch {
  /** Returns the minimum of each minute in bytes; memory rises between garbage collections. */
  stop(): readonly number[];
}

/** Samples a process until stopped. */
export function watchMemory(pid: number): MemoryWatch {
  const began = performance.now();
  const minima: number[] = [];
  const look = (): void => {
    const minute = Math.floor((performance.now() - began) / 60_000);
    try {
      minima[minute] = Math.min(minima[minute] ?? Infinity, residentBytes(pid));
    } catch {
      // The process has ended; the clients notice that.
    }
  };
  const timer = setInterval(look, everyMs);
  return {
    stop() {
      clearInterval(timer);
      return minima;
    },
  };
}
