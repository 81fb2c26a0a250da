/**
 * Removes a folder when this process ends, even when it is killed. A second process does it, detached from the terminal, so that
 * Ctrl-C does not end it, too.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export interface Removal {
  /** Sets the process group that works in the folder and is ended before the removal; null when there is none. */
  works(group: number | null): void;
  /** Removes the folder now, and resolves when it is gone. */
  now(): Promise<void>;
}

const waiting = fileURLToPath(new URL("remove-behind.ts", import.meta.url));

/** Starts the process that removes `folder` when this process ends, or when `now()` is called. */
export function removeAtEnd(folder: string): Removal {
  const child = spawn(process.execPath, ["--import", "tsx", waiting, folder], {
    detached: true,
    stdio: ["pipe", "ignore", "inherit"],
  });
  const gone = once(child, "close");
  return {
    works: (group) => void child.stdin.write(`${group ?? ""}\n`),
    async now() {
      child.stdin.end();
      await gone;
    },
  };
}
