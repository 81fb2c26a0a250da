/** How much memory of the machine, or of the container, programs can have now. */
import { freemem } from "node:os";
import { readSystemFile } from "../../system/ask-system.js";

/** Returns the text of a file of the system; null if there is none. */
type ReadSystemFile = (path: string) => string | null;

/**
 * Returns the free bytes: what the system can give without swapping, and in a container no more than its limit leaves. Files that are only
 * cached count as free.
 * @param limitBytes limit of the container; 0 if there is none
 */
export function freeMemoryBytes(
  limitBytes: number = process.constrainedMemory(),
  read: ReadSystemFile = readSystemFile,
): number {
  const free = readKilobytes(read("/proc/meminfo"), "MemAvailable") ?? freemem();
  return Math.min(free, freeOfContainer(limitBytes, read) ?? free);
}

/** What the room for models depends on. */
interface RoomSources {
  readonly read: ReadSystemFile;
  /** Limit of the container; 0 if there is none. */
  readonly limitBytes: number;
}

/** What no model takes, so that the server and other programs have memory to work with. */
export const reservedBytes = 256 * 1024 * 1024;

/**
 * Opens a function that measures how many bytes models can still take, beyond those in memory; negative while memory is short. Pages of
 * weights that this process has mapped do not count as free, although the system could read them again, and what models in memory
 * have not yet touched of their estimates is not given away twice.
 * @returns null where the system does not say what is free (other systems than Linux)
 */
export function openModelRoom({ read, limitBytes }: RoomSources): ((plannedBytes: number) => number) | null {
  const residentAtStart = readKilobytes(read("/proc/self/status"), "VmRSS");
  if (residentAtStart === null || readKilobytes(read("/proc/meminfo"), "MemAvailable") === null) return null;
  return (plannedBytes) => {
    const status = read("/proc/self/status");
    const mapped = readKilobytes(status, "RssFile") ?? 0;
    const taken = (readKilobytes(status, "VmRSS") ?? residentAtStart) - residentAtStart;
    const free = (readKilobytes(read("/proc/meminfo"), "MemAvailable") ?? 0) - mapped;
    const untouched = Math.max(0, plannedBytes - Math.max(0, taken));
    return Math.min(free, freeOfContainer(limitBytes, read) ?? free) - untouched - reservedBytes;
  };
}

/** Returns what the limit of a container leaves, without cached files; null outside of one. */
function freeOfContainer(limitBytes: number, read: ReadSystemFile): number | null {
  const used = limitBytes > 0 ? usedOfContainer(read) : null;
  return used === null ? null : Math.max(0, limitBytes - used);
}

/** Returns the bytes that the container of this process uses without cached files (cgroup v2, then v1); null outside of one. */
function usedOfContainer(read: ReadSystemFile): number | null {
  const groups = read("/proc/self/cgroup") ?? "";
  const [, own = "/"] = /^0::(.*)$/m.exec(groups) ?? [];
  const [, ownV1 = "/"] = /^\d+:(?:[^:\n]*,)?memory(?:,[^:\n]*)?:(.*)$/m.exec(groups) ?? [];
  const [v2, v1] = ["/sys/fs/cgroup", "/sys/fs/cgroup/memory"];
  return (
    usedIn(read, under(v2, own), "memory.current", "inactive_file") ??
    usedIn(read, v2, "memory.current", "inactive_file") ??
    usedIn(read, under(v1, ownV1), "memory.usage_in_bytes", "total_inactive_file") ??
    usedIn(read, v1, "memory.usage_in_bytes", "total_inactive_file")
  );
}

const under = (folder: string, path: string): string => (path === "/" ? folder : `${folder}${path}`);

function usedIn(read: ReadSystemFile, folder: string, usage: string, cache: string): number | null {
  const text = read(`${folder}/${usage}`);
  const used = Number(text ?? Number.NaN);
  const [, cached = "0"] =
    new RegExp(`^${cache} (\\d+)$`, "m").exec(read(`${folder}/memory.stat`) ?? "") ?? [];
  return Number.isFinite(used) ? Math.max(0, used - Number(cached)) : null;
}

/** Returns a value of a file of the kernel, in bytes. */
function readKilobytes(text: string | null, name: string): number | null {
  const [, kilobytes] = new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(text ?? "") ?? [];
  return kilobytes === undefined ? null : Number(kilobytes) * 1024;
}
