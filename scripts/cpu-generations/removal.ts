/**
 * Removes a folder as soon as the process that asked for it has ended, in whatever way: also one that is killed leaves nothing
 * behind. A process of its own waits for that, which no signal to a terminal's group reaches.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export interface Removal {
  /** Names the process group that works in the folder, to be ended before the folder goes; null when there is none. */
  works(group: number | null): void;
  /** Removes the folder now, and resolves when it is gone. */
  now(): Promise<void>;
}

const waiting = fileURLToPath(new URL("remove-behind.ts", import.meta.url));

/** Has `folder` removed at the end of this process, or earlier when asked to. */
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
