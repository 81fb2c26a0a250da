import { readFileSync } from "node:fs";
import { availableParallelism, totalmem } from "node:os";

/**
 * Cores that this process may keep busy: the physical ones it may be scheduled on, less where a container's quota allows
 * fewer. Two threads on one core spin against each other, so the bound is a hard one.
 */
export function usableCores(): number {
  const unbounded = Number.POSITIVE_INFINITY;
  return Math.max(
    1,
    Math.min(availableParallelism(), physicalCores() ?? unbounded, cgroupQuota() ?? unbounded),
  );
}

/** Cores of all sockets, however many threads each runs; null where the system does not tell. */
function physicalCores(): number | null {
  try {
    const blocks = readFileSync("/proc/cpuinfo", "utf8").split("\n\n");
    const cores = blocks.flatMap((block) => {
      const core = /^core id\s*:\s*(\d+)$/m.exec(block)?.[1];
      const socket = /^physical id\s*:\s*(\d+)$/m.exec(block)?.[1] ?? "0";
      return core === undefined ? [] : [`${socket}/${core}`];
    });
    return cores.length === 0 ? null : new Set(cores).size;
  } catch {
    return null;
  }
}

/**
 * Threads for one decode of a model. A thread is worth its synchronisation only where it has some milliseconds of work a
 * token: a model of 3 MB runs 20 times slower on two threads of a busy machine than on one (measured), so each further
 * thread needs another 50 MB of weights.
 */
export function threadsFor(weightBytes: number, cores: number): number {
  return Math.max(1, Math.min(cores, Math.ceil(weightBytes / 50_000_000)));
}

/** Memory that models may take when nobody says: four fifths of what the machine, or the container, has. */
export function usableMemoryBytes(): number {
  const constrained = process.constrainedMemory();
  const whole = constrained > 0 && constrained < totalmem() ? constrained : totalmem();
  return Math.floor(whole * 0.8);
}

/** Whole cores of the cgroup v2 quota (`cpu.max`: microseconds allowed and period); null without one. */
function cgroupQuota(): number | null {
  try {
    const [allowed, period] = readFileSync("/sys/fs/cgroup/cpu.max", "utf8").trim().split(" ");
    const cores = Number(allowed) / Number(period);
    return Number.isFinite(cores) && cores > 0 ? Math.max(1, Math.floor(cores)) : null;
  } catch {
    return null;
  }
}
