/** How much memory of the machine, or of the container, programs can have now. */
import { readFileSync } from "node:fs";
import { freemem } from "node:os";

/** Returns the text of a file of the system; null if there is none. */
export type ReadSystemFile = (path: string) => string | null;

/**
 * Returns the free bytes: what the system can give without swapping, and in a container no more than its limit leaves. Files that are only
 * cached count as free.
 * @param limitBytes limit of the container; 0 if there is none
 */
export function freeMemoryBytes(
  limitBytes: number = process.constrainedMemory(),
  read: ReadSystemFile = readOrNull,
): number {
  const free = kilobytesOf(read("/proc/meminfo"), "MemAvailable") ?? freemem();
  const used = usedOfContainer(read);
  return limitBytes > 0 && used !== null ? Math.max(0, Math.min(free, limitBytes - used)) : free;
}

/** Returns the bytes that a container uses without cached files; null outside of one (cgroup v2). */
function usedOfContainer(read: ReadSystemFile): number | null {
  const used = Number(read("/sys/fs/cgroup/memory.current") ?? Number.NaN);
  const cached = /^inactive_file (\d+)$/m.exec(read("/sys/fs/cgroup/memory.stat") ?? "")?.[1] ?? "0";
  return Number.isFinite(used) ? Math.max(0, used - Number(cached)) : null;
}

function kilobytesOf(text: string | null, name: string): number | null {
  const [, kilobytes] = new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(text ?? "") ?? [];
  return kilobytes === undefined ? null : Number(kilobytes) * 1024;
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
