import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { childOf, residentBytes, scratchFolder, startProcess, stopProcess } from "./processes.js";

export const benchKey = "bench-key-of-sixteen-characters";
export const benchModel = "hearth-tiny-5m";

/** A Hearth server in a separate process with a new data folder. */
export interface BenchServer {
  readonly url: string;
  /** An API key of the first team. */
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
export async function startServer(settings: Readonly<Record<string, string>> = {}): Promise<BenchServer> {
  const data = scratchFolder();
  const startedAt = performance.now();
  const program = fileURLToPath(new URL("../../../dist/main.js", import.meta.url));
  const child = startProcess(process.execPath, [...nodeFlags(), program, "start"], {
    env: {
      PATH: process.env["PATH"],
      HEARTH_PORT: "0",
      HEARTH_DATA: data.path,
      HEARTH_API_KEY: benchKey,
      HEARTH_LOG_LEVEL: "error",
      ...settings,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = await listening(child);
  const listenMs = performance.now() - startedAt;
  return {
    url,
    key: benchKey,
    pid: childOf(child.pid ?? 0),
    dataFolder: data.path,
    listenMs,
    startedAt,
    async stop() {
      await stopProcess(child);
      data.remove();
    },
  };
}

/** SERVER_NODE_FLAGS="--cpu-prof --cpu-prof-dir=/path" profiles every thread of every server. */
function nodeFlags(): readonly string[] {
  return (process.env["SERVER_NODE_FLAGS"] ?? "").split(" ").filter((flag) => flag !== "");
}

/** Returns the address that a server prints when it listens. @throws Error if it ends before */
export async function listening(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error("no output");
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /^listening on (http:\/\/\S+)$/.exec(line)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error("the server ended before it listened");
}

/** Returns the resident memory of a process in MB. */
export function residentMb(pid: number): number {
  return residentBytes(pid) / 1024 / 1024;
}

/** Returns the request that every section sends. */
export function chatInit(maxTokens: number, stream: boolean, content: string) {
  const body = {
    model: benchModel,
    messages: [{ role: "user", content }],
    max_tokens: maxTokens,
    temperature: 0,
    stream,
    ...(stream ? { stream_options: { include_usage: true } } : {}),
    reasoning_effort: "none",
  };
  return {
    method: "POST",
    headers: { authorization: `Bearer ${benchKey}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  };
}
