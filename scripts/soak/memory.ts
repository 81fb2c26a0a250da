/** The server's resident memory over time. */
import { residentBytes } from "../bench/processes.js";

const everyMs = 1000;

export interface MemoryWatch {
  /** The least of each minute in bytes: between two collections of garbage it rises by itself. */
  stop(): readonly number[];
}

/** Looks at a process until stopped. */
export function watchMemory(pid: number): MemoryWatch {
  const began = performance.now();
  const minima: number[] = [];
  const look = (): void => {
    const minute = Math.floor((performance.now() - began) / 60_000);
    try {
      minima[minute] = Math.min(minima[minute] ?? Infinity, residentBytes(pid));
    } catch {
      // The process is gone; the clients notice it.
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
