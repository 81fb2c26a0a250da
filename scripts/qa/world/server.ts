/** Hearth servers as processes of their own. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { root } from "./root.js";
import { findChild, scratchFolder, spawnProcess, spawnScript, stopProcess } from "./processes.js";

export const hearthProgram = join(root, "dist/main.js");
/** The API key of the first team. */
export const firstKey = "bench-key-of-sixteen-characters";
/** The built-in chat model. */
export const tinyModel = "hearth-tiny-5m";

/** The built program with a new data folder. */
export interface ServerProcess {
  readonly url: string;
  readonly key: string;
  /** The process that serves requests, not its supervisor. */
  readonly pid: number;
  readonly dataFolder: string;
  /** The time from starting the process to its `listening on` line, in milliseconds. */
  readonly listenMs: number;
  /** The value of `performance.now()` when the process was started. */
  readonly startedAt: number;
  stop(): Promise<void>;
}

/**
 * Starts a server and waits until it listens. The server ends with this process.
 * @param settings HEARTH_* variables in addition to port, data folder, key and log level
 */
export async function spawnServer(settings: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
  const data = scratchFolder();
  const startedAt = performance.now();
  const child = spawnProcess(process.execPath, [...nodeFlags(), hearthProgram, "start"], {
    env: { ...commonSettings(data.path), HEARTH_LOG_LEVEL: "error", ...settings },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = await readAddress(child);
  const listenMs = performance.now() - startedAt;
  return {
    url,
    key: firstKey,
    pid: findChild(child.pid ?? 0),
    dataFolder: data.path,
    listenMs,
    startedAt,
    async stop() {
      await stopProcess(child);
      data.remove();
    },
  };
}

/** A server with the scripted engine. */
export interface ScriptedProcess {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
  /** Kills it at once, without a shutdown. */
  kill(): Promise<void>;
}

/**
 * @param data its data folder @param model whether requests are answered at once, with many tokens, in a model's time, or never
 * @param settings HEARTH_* variables in addition
 */
export async function startScripted(
  data: string,
  model: "answers" | "long" | "works" | "holds",
  settings: Readonly<Record<string, string>> = {},
): Promise<ScriptedProcess> {
  const child = spawnScript(new URL("./scripted-server.ts", import.meta.url), [], {
    env: { ...commonSettings(data), SCRIPTED: model, ...settings },
    stdio: ["ignore", "pipe", "inherit"],
  });
  return {
    url: await readAddress(child),
    pid: child.pid ?? 0,
    stop: () => stopProcess(child),
    async kill() {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

function commonSettings(data: string): NodeJS.ProcessEnv {
  return { PATH: process.env["PATH"], HEARTH_PORT: "0", HEARTH_DATA: data, HEARTH_API_KEY: firstKey };
}

/** SERVER_NODE_FLAGS="--cpu-prof --cpu-prof-dir=/path" profiles every thread of every server. */
function nodeFlags(): readonly string[] {
  return (process.env["SERVER_NODE_FLAGS"] ?? "").split(" ").filter((flag) => flag !== "");
}

/** Returns the address that a server prints when it listens. @throws Error if it ends before */
export async function readAddress(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error("no output");
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /^listening on (http:\/\/\S+)$/.exec(line)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error("the server ended before it listened");
}
