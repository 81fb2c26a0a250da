import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { root } from "../../kit/folder.js";
import { testKey } from "../../kit/server/settings.js";

/**
 * Runs `program`, a busy server, on a free port in a child process, and kills it with -9 after a number of printed lines.
 * @returns the printed lines.
 */
export async function killedAfter(
  lines: number,
  program: string,
  environment: NodeJS.ProcessEnv,
): Promise<readonly string[]> {
  const child = spawn(process.execPath, ["--import", import.meta.resolve("tsx"), program], {
    cwd: root,
    env: {
      PATH: process.env["PATH"],
      HEARTH_PORT: "0",
      HEARTH_API_KEY: testKey,
      HEARTH_LOG_LEVEL: "error",
      ...environment,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  onTestFinished(() => void child.kill("SIGKILL"));
  const printed: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    printed.push(line);
    if (printed.length === lines) child.kill("SIGKILL");
  }
  await exited;
  return printed;
}
