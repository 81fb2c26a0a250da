import { readFileSync } from "node:fs";
import { availableParallelism, totalmem } from "node:os";

/**
 * Returns the number of cores that this process may use: the physical cores it may be scheduled on, or fewer where a container's quota
 * is lower. More threads than cores are very slow, because they wait for each other by spinning.
 */
export function usableCores(): number {
  const unbounded = Number.POSITIVE_INFINITY;
  return Math.max(
    1,
    Math.min(availableParallelism(), physicalCores() ?? unbounded, cgroupQuota() ?? unbounded),
  );
}

/** Returns the physical cores of all sockets; null where the system does not report them. */
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
 * Returns the number of threads for one decode of a model. A thread pays for its synchronisation only if it has some milliseconds of
 * work per token: on a busy machine a model of 3 MB is 20 times slower with two threads than with one (measured). So each further
 * thread requires another 50 MB of weights.
 */
export function threadsFor(weightBytes: number, cores: number): number {
  return Math.max(1, Math.min(cores, Math.ceil(weightBytes / 50_000_000)));
}

/**
 * Returns the number of threads for a batch of prompt tokens. Each further thread requires the work of 64 tokens of 50 MB of weights: on a
 * busy machine a model of 3 MB is 4 times slower with two threads, also with 512 tokens, and one of 24 MB faster (measured).
 */
export function threadsForBatch(weightBytes: number, tokens: number, cores: number): number {
  return Math.max(1, Math.min(cores, Math.ceil((weightBytes * tokens) / (64 * 50_000_000))));
}

/** Returns the default memory limit for models: four fifths of the memory of the machine or container. */
export function usableMemoryBytes(): number {
  const constrained = process.constrainedMemory();
  const whole = constrained > 0 && constrained < totalmem() ? constrained : totalmem();
  return Math.floor(whole * 0.8);
}

/** Returns the whole cores of the cgroup v2 quota (`cpu.max`: allowed microseconds and period); null without a quota. */
function cgroupQuota(): number | null {
  try {
    const [allowed, period] = readFileSync("/sys/fs/cgroup/cpu.max", "utf8").trim().split(" ");
    const cores = Number(allowed) / Number(period);
    return Number.isFinite(cores) && cores > 0 ? Math.max(1, Math.floor(cores)) : null;
  } catch {
    return null;
  }
}

/** Returns the memory that all models together may take. @param memoryBytesMax the operator's limit; 0: what the machine allows */
export function limitMemory(memoryBytesMax: number): number {
  return memoryBytesMax === 0 ? usableMemoryBytes() : memoryBytesMax;
}
