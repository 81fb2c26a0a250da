/** Starts llama-server, llama.cpp's own server, for scripts. */
import { createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { startProcess, stopProcess } from "./processes.js";

const startMsMax = 120_000;

export interface LlamaServer {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Starts the program on a free port of 127.0.0.1, and returns when it is ready. It ends with this process.
 * @param settings its options with their values. @throws Error when it is not ready within two minutes
 */
export async function startLlamaServer(
  program: string,
  settings: Readonly<Record<string, string | number>>,
): Promise<LlamaServer> {
  const port = await freePort();
  const all = { "--host": "127.0.0.1", "--port": port, ...settings };
  const child = startProcess(program, Object.entries(all).flat().map(String), { stdio: "ignore" });
  const url = `http://127.0.0.1:${port}`;
  const giveUpAt = performance.now() + startMsMax;
  while (!(await isReady(url))) {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined)
      throw new Error(`${program} did not start`);
    if (performance.now() > giveUpAt) throw new Error(`${program} was not ready within ${startMsMax} ms`);
    await delay(100);
  }
  return { url, close: () => stopProcess(child) };
}

async function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/health`).then(
    (answer) => answer.ok,
    () => false,
  );
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const address = probe.address();
  await new Promise<void>((resolve) => probe.close(() => resolve()));
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}
