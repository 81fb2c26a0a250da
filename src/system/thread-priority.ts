import { getPriority, platform, setPriority } from "node:os";

const niceMax = 19;

/**
 * Lowers the priority of the calling thread, and of every thread that is started from it. Does nothing except on Linux: on other
 * systems the priority belongs to the whole process.
 * @param increment added to the nice value; it has an effect only where there are too few cores for all threads
 */
export function lowerPriority(increment: number): void {
  if (platform() !== "linux") return;
  try {
    setPriority(0, Math.min(niceMax, getPriority(0) + increment));
  } catch {
    // A sandbox may forbid it: the threads then keep the same priority.
  }
}
