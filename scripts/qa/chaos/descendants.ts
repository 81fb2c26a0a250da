/** The processes that this one has started, and those that they have started, by Linux's /proc. */
import { readdirSync, readFileSync } from "node:fs";

/** Kills them all, also those that are stopped. Where there is no /proc, none. */
export function killDescendants(): void {
  for (const pid of findDescendants(process.pid)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended.
    }
  }
}

function findDescendants(pid: number): readonly number[] {
  const children = findChildren(pid);
  return [...children, ...children.flatMap(findDescendants)];
}

function findChildren(pid: number): readonly number[] {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const texts = threads.map((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8"));
    return texts.flatMap((text) => text.split(" ").filter((child) => child !== "")).map(Number);
  } catch {
    return [];
  }
}
