import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const benchKey = "bench-key-of-sixteen-characters";
export const benchModel = "hearth-tiny-3m";

/** A Hearth server in a process of its own, on a fresh data folder. */
export interface BenchServer {
  readonly url: string;
  readonly pid: number;
  /** Milliseconds from starting the process to its `listening on` line. */
  readonly listenMs: number;
  /** `performance.now()` of the moment the process was started. */
  readonly startedAt: number;
  stop(): Promise<void>;
}

/** Starts a server and waits until it listens. */
export async function startServer(): Promise<BenchServer> {
  const data = mkdtempSync(join(tmpdir(), "hearth-bench-"));
  const startedAt = performance.now();
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL("../../dist/main.js", import.meta.url)), "start"],
    {
      env: {
        PATH: process.env["PATH"],
        HEARTH_PORT: "0",
        HEARTH_DATA: data,
        HEARTH_API_KEY: benchKey,
        HEARTH_LOG_LEVEL: "error",
      },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const url = await listening(child);
  const listenMs = performance.now() - startedAt;
  return {
    url,
    pid: child.pid ?? 0,
    listenMs,
    startedAt,
    async stop() {
      child.kill("SIGTERM");
      await once(child, "exit");
      rmSync(data, { recursive: true, force: true });
    },
  };
}

async function listening(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error("no output");
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /^listening on (http:\/\/\S+)$/.exec(line)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error("the server ended before it listened");
}

/** Resident memory of a process in MB. */
export function residentMb(pid: number): number {
  const kib = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kib) / 1024;
}

/** CPU time of a process's main thread in milliseconds: the thread that does HTTP. */
export function mainThreadCpuMs(pid: number): number {
  const [running] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ");
  return Number(running) / 1e6;
}

/** The request every section sends. */
export function chatInit(maxTokens: number, stream: boolean, content: string): RequestInit {
  const body = {
    model: benchModel,
    messages: [{ role: "user", content }],
    max_tokens: maxTokens,
    temperature: 0,
    stream,
    reasoning_effort: "none",
  };
  return {
    method: "POST",
    headers: { authorization: `Bearer ${benchKey}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  };
}
