/** llama.cpp's own server, if available: LLAMA_SERVER is the path of the program. */
import { createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { postJson, readFrames, readText } from "../client.js";
import type { BenchModel } from "../model.js";
import { startProcess, stopProcess } from "../processes.js";
import type { Contender, Prompt, Terms, TimedAnswer } from "./contender.js";

const startMsMax = 120_000;

/** Starts llama-server on the same file, with all cores, and the same slots and context. */
export async function startLlamaServer(program: string, model: BenchModel, terms: Terms): Promise<Contender> {
  const port = await freePort();
  const settings: Readonly<Record<string, string | number>> = {
    "--model": model.file,
    "--host": "127.0.0.1",
    "--port": port,
    "--threads": terms.cores,
    "--threads-batch": terms.cores,
    "--parallel": terms.slots,
    "--ctx-size": terms.slots * terms.contextTokens,
  };
  const child = startProcess(program, Object.entries(settings).flat().map(String), { stdio: "ignore" });
  const url = `http://127.0.0.1:${port}`;
  const giveUpAt = performance.now() + startMsMax;
  while (!(await isReady(url))) {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined)
      throw new Error(`${program} did not start`);
    if (performance.now() > giveUpAt) throw new Error(`${program} was not ready within ${startMsMax} ms`);
    await delay(100);
  }
  return {
    name: "llama-server",
    answer: (prompts, maxTokens) => Promise.all(prompts.map((prompt) => complete(url, prompt, maxTokens))),
    close: () => stopProcess(child),
  };
}

async function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/health`).then(
    (answer) => answer.ok,
    () => false,
  );
}

interface Frame {
  readonly content?: string;
  readonly stop?: boolean;
  readonly tokens_predicted?: number;
  readonly timings?: { readonly cache_n?: number };
}

async function complete(url: string, prompt: Prompt, maxTokens: number): Promise<TimedAnswer> {
  const body = {
    prompt: prompt.tokens,
    n_predict: maxTokens,
    temperature: 0,
    cache_prompt: true,
    stream: true,
  };
  const askedAt = performance.now();
  const response = await postJson(`${url}/completion`, JSON.stringify(body), {});
  if (response.status !== 200)
    throw new Error(`llama-server: ${response.status} ${await readText(response)}`);
  const arrivals: number[] = [];
  let last: Frame = {};
  await readFrames(response, (data) => {
    last = JSON.parse(data) as Frame;
    if (last.content !== undefined && last.content !== "") arrivals.push(performance.now());
  });
  const tokens = last.tokens_predicted ?? arrivals.length;
  return { askedAt, arrivals, tokens, cachedTokens: last.timings?.cache_n ?? 0 };
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const address = probe.address();
  await new Promise<void>((resolve) => probe.close(() => resolve()));
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}
