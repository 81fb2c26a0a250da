/** Starts servers that kill themselves, see killed-server.ts. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { root } from "../../kit/folder.js";
import { testKey } from "../../kit/server/settings.js";

const program = fileURLToPath(new URL("killed-server.ts", import.meta.url));

export interface Killed {
  /** Null where it died before it listened. */
  readonly url: string | null;
  readonly isDead: () => boolean;
  readonly died: Promise<unknown>;
  readonly end: () => void;
}

/** A server that kills itself at this step; 0: never. @param errors where its standard error goes */
export async function startKilled(
  data: string,
  killAt: number,
  side: "before" | "after",
  errors: "inherit" | "ignore" = "inherit",
): Promise<Killed> {
  const child = spawn(process.execPath, ["--import", import.meta.resolve("tsx"), program], {
    cwd: root,
    env: {
      PATH: process.env["PATH"],
      HEARTH_PORT: "0",
      HEARTH_DATA: data,
      HEARTH_API_KEY: testKey,
      HEARTH_JOBS_ACTIVE_MAX: "2",
      KILL_AT: String(killAt),
      KILL_SIDE: side,
    },
    stdio: ["ignore", "pipe", errors],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const died = once(child, "exit");
  const listening = new Promise<string>((resolve) => {
    createInterface({ input: child.stdout }).on("line", (line) => resolve(line.replace("listening on ", "")));
  });
  const url = await Promise.race([listening, died.then(() => null)]);
  return {
    url,
    isDead: () => child.signalCode !== null || child.exitCode !== null,
    died,
    end: () => void child.kill("SIGTERM"),
  };
}

/** Numbers from 0 to 1, the same for the same seed. */
export function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
