/** Starts servers that kill themselves, see killed-server.ts. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { onTestFinished } from "vitest";
import { root } from "../../kit/folder.js";
import { testKey } from "../../kit/server/settings.js";

const source = fileURLToPath(new URL("killed-server.ts", import.meta.url));
/** As deep below the root as the source, which finds the built server by a relative path. */
const program = join(root, "dist/.tests/killed/killed-server.mjs");
let isBundled = false;

/** Compiles the program once for a process: it starts many times, and to compile it each time takes a second. */
function bundleOnce(): void {
  if (isBundled) return;
  const common = { bundle: true, packages: "external", platform: "node", format: "esm" } as const;
  buildSync({ ...common, entryPoints: [source], outfile: program });
  isBundled = true;
}

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
  bundleOnce();
  const child = spawn(process.execPath, [program], {
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
