/** A true llama-server for tests, where the program is there. */
import { spawn, type ChildProcess } from "node:child_process";
import { createServer, type AddressInfo } from "node:net";
import { it, onTestFinished, vi } from "vitest";
import { llamaServerProgram } from "./program.mjs";

const program = llamaServerProgram();

/** What the names of tests say where the program is missing, and what runs them where it is there. */
export const [withoutLlamaServer, itWithLlamaServer] =
  program === null
    ? [" (not run: there is no llama-server; `npm run build:llama-server` builds it)", it.runIf(false)]
    : ["", it];

export interface LlamaServer {
  readonly url: string;
  readonly child: ChildProcess;
}

export interface LlamaServerOptions {
  readonly slots?: number;
  /** Of each slot. */
  readonly contextTokens?: number;
  readonly port?: number;
  readonly args?: readonly string[];
}

/** Starts the program with a model, and waits until it is ready. It ends with the test. */
export async function startLlamaServer(
  model: string,
  { slots = 4, contextTokens = 512, port, args = [] }: LlamaServerOptions = {},
  finished: (cleanUp: () => void) => void = onTestFinished,
): Promise<LlamaServer> {
  if (program === null) throw new Error("there is no llama-server");
  const usedPort = port ?? (await freePort());
  const settings = {
    "--model": model,
    "--host": "127.0.0.1",
    "--port": usedPort,
    "--parallel": slots,
    "--ctx-size": slots * contextTokens,
    "--threads": 1,
    "--threads-batch": 1,
  };
  const child = spawn(program, [...Object.entries(settings).flat().map(String), ...args], {
    stdio: "ignore",
  });
  finished(() => child.kill("SIGKILL"));
  const url = `http://127.0.0.1:${usedPort}`;
  const isReady = (): Promise<boolean> =>
    fetch(`${url}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  await vi.waitUntil(isReady, { interval: 50, timeout: 30_000 });
  return { url, child };
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise<void>((resolve) => probe.close(() => resolve()));
  return port;
}
