/** llama-server, llama.cpp's own server, as a process. */
import { spawn, type ChildProcess } from "node:child_process";
import { createServer, type AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { llamaServerProgram } from "./program.mjs";

export interface LlamaServer {
  readonly url: string;
  readonly child: ChildProcess;
}

export interface LlamaServerOptions {
  readonly slots?: number;
  /** The context of each slot. */
  readonly contextTokens?: number;
  readonly threads?: number;
  readonly host?: string;
  readonly port?: number;
  readonly args?: readonly string[];
}

const startMsMax = 120_000;
const model = "hearth-tiny-5m";

/** The built-in chat model, with its context and the scaling that its manifest names. */
export const builtIn = {
  id: model,
  file: fileURLToPath(new URL(`../../../../models/${model}/${model}.gguf`, import.meta.url)),
  contextTokens: 8192,
  args: ["--rope-scaling", "yarn", "--rope-scale", "4", "--yarn-orig-ctx", "2048", "--cache-ram", "0"],
} as const;

/**
 * Starts the program with a model, and waits until it is ready.
 * @param atEnd gets what ends the process
 * @throws Error where the program is missing or does not start
 */
export async function spawnLlamaServer(
  file: string,
  { slots = 4, contextTokens = 512, threads = 1, host = "127.0.0.1", port, args = [] }: LlamaServerOptions,
  atEnd: (end: () => void) => void,
): Promise<LlamaServer> {
  const program = requireLlamaServer();
  const usedPort = port ?? (await freePort(host));
  const settings = {
    "--model": file,
    "--host": host,
    "--port": usedPort,
    "--parallel": slots,
    "--ctx-size": slots * contextTokens,
    "--threads": threads,
    "--threads-batch": threads,
  };
  const child = spawn(program, [...Object.entries(settings).flat().map(String), ...args], {
    stdio: "ignore",
  });
  atEnd(() => child.kill("SIGKILL"));
  const url = `http://${host}:${usedPort}`;
  const giveUpAt = performance.now() + startMsMax;
  while (!(await isReady(url))) {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined)
      throw new Error(`${program} did not start`);
    if (performance.now() > giveUpAt) throw new Error(`${program} was not ready within ${startMsMax} ms`);
    await delay(50);
  }
  return { url, child };
}

/** Returns the program. @throws Error where it is missing */
export function requireLlamaServer(): string {
  const program = llamaServerProgram();
  if (program === null) throw new Error("there is no llama-server; `npm run build:llama-server` builds it");
  return program;
}

function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/health`).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function freePort(host: string): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, host, resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise<void>((resolve) => probe.close(() => resolve()));
  return port;
}
