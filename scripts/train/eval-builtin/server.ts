import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("../../../dist/main.js", import.meta.url));
const startMsMax = 60_000;
const stopMsMax = 15_000;
const complaintsKept = 20;

export interface Server {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Ends the process and removes its folder. */
  stop(): Promise<void>;
}

/**
 * Starts the server as a separate process, with empty data, only the built-in models, and none of the
 * caller's settings.
 * @throws Error with the output of the process if it does not start
 */
export async function startServer(): Promise<Server> {
  const folder = await mkdtemp(join(tmpdir(), "hearth-eval-"));
  const apiKey = "evaluation-of-the-built-in-models";
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("HEARTH_"));
  const child = spawn(process.execPath, [main, "start"], {
    cwd: folder,
    env: {
      ...Object.fromEntries(inherited),
      HEARTH_PORT: "0",
      HEARTH_DATA: join(folder, "data"),
      HEARTH_API_KEY: apiKey,
      HEARTH_LOG_LEVEL: "warn",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const stop = async (): Promise<void> => {
    await end(child);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    return { baseUrl: `${await addressOf(child)}/v1`, apiKey, stop };
  } catch (thrown) {
    await stop();
    throw thrown;
  }
}

function addressOf(child: ChildProcess): Promise<string> {
  const complaints: string[] = [];
  return new Promise((resolve, reject) => {
    const fail = (what: string): void => reject(new Error([`the server ${what}`, ...complaints].join("\n")));
    const timer = setTimeout(() => fail(`was not ready within ${startMsMax / 1000} s`), startMsMax);
    child.once("error", (error) => fail(`could not be started: ${error.message}`));
    child.once("exit", (code, signal) => {
      clearTimeout(timer);
      fail(`ended with ${signal ?? code ?? "no code"}`);
    });
    if (child.stderr !== null)
      createInterface(child.stderr).on("line", (line) => {
        complaints.push(line);
        if (complaints.length > complaintsKept) complaints.shift();
      });
    if (child.stdout !== null)
      createInterface(child.stdout).on("line", (line) => {
        const address = /^listening on (http:\/\/\S+)$/.exec(line)?.[1];
        if (address === undefined) return;
        clearTimeout(timer);
        resolve(address);
      });
  });
}

function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined)
    return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(() => child.kill("SIGKILL"), stopMsMax);
    child.once("exit", () => {
      clearTimeout(timer);
      resolve();
    });
    child.kill("SIGTERM");
  });
}
