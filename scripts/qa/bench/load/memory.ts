/**
 * Measures whether memory grows with requests: the least-squares slope of the server's resident memory over
 * many mixed requests. It uses the minimum of each window, because memory rises between garbage collections.
 * The first requests do not count: the heaps and the database's page cache (16 MB) grow to their steady size.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { root } from "../../world/root.js";
import { chat, chatWhole, type Target } from "../../world/client.js";
import { writeBenchModel, writeWords } from "../../world/models.js";
import { residentBytes } from "../../world/processes.js";
import { tinyModel, spawnServer } from "../../world/server.js";
import { slope, toRow, type Row } from "../../figures/table.js";
import { seeded } from "../../../../test/kit/models/gguf-writer/weights.js";
import { lagGaugeMs, lagRows, startLagProbe } from "../../world/lag.js";

const clients = 8;
const warmUpRequests = 2000;
const windowRequests = 250;
const idleMs = 2000;

export async function memoryRows(requests: number): Promise<readonly Row[]> {
  const { id, settings } = await servedModel();
  const server = await spawnServer(settings);
  await chat(server, { model: id, content: "warm", maxTokens: 8, stream: true });
  const idle = await idleTimes(server.url);
  // Resets the gauge.
  await lagGaugeMs(server.url);
  const probe = startLagProbe(server.url);
  const minima: number[] = [];
  let done = 0;
  const random = seeded(11);
  const client = async (): Promise<void> => {
    while (done < warmUpRequests + requests) {
      done += 1;
      const window = Math.floor((done - warmUpRequests) / windowRequests);
      if (window >= 0) minima[window] = Math.min(minima[window] ?? Infinity, residentBytes(server.pid));
      await mixedRequest(server, id, random);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  const busy = await probe.stop();
  const gaugeMs = await lagGaugeMs(server.url);
  await server.stop();
  const inMb = (bytes: number | undefined): string => ((bytes ?? Number.NaN) / 1024 / 1024).toFixed(1);
  return [
    toRow(`requests to ${id}, ${clients} clients`, `${warmUpRequests} to warm up, then ${requests}`),
    toRow("resident memory, first and last window", `${inMb(minima[0])} to ${inMb(minima.at(-1))} MB`),
    toRow(`memory slope after ${warmUpRequests} requests`, perRequest(minima), "< 1024 bytes/request"),
    toRow("memory slope of the second half", perRequest(minima.slice(Math.floor(minima.length / 2)))),
    ...lagRows(idle, busy, gaugeMs),
  ];
}

function perRequest(minima: readonly number[]): string {
  return `${(slope(minima) / windowRequests).toFixed(0)} bytes/request`;
}

/** Returns the built-in model if it is present, otherwise the small one with random weights. */
async function servedModel(): Promise<{
  readonly id: string;
  readonly settings: Readonly<Record<string, string>>;
}> {
  const manifest = join(root, "models", tinyModel, "manifest.json");
  if (existsSync(manifest)) return { id: tinyModel, settings: {} };
  const { id, folder } = await writeBenchModel("small");
  return { id, settings: { HEARTH_MODELS: folder } };
}

async function idleTimes(url: string): Promise<readonly number[]> {
  const probe = startLagProbe(url);
  await delay(idleMs);
  return probe.stop();
}

/** Sends a short chat, a stream, or a stream that the client aborts: a third each. */
async function mixedRequest(server: Target, model: string, random: () => number): Promise<void> {
  const kind = Math.floor(random() * 3);
  const content = writeWords(Math.floor(random() * 1e6), 4);
  const ask = { model, content, maxTokens: 4 + Math.floor(random() * 24), stream: kind > 0, temperature: 1 };
  if (kind < 2) {
    await chatWhole(server, ask);
    return;
  }
  const leaving = new AbortController();
  const timer = setTimeout(() => leaving.abort(), random() * 40);
  await chat(server, { ...ask, maxTokens: 500, signal: leaving.signal }).catch(() => undefined);
  clearTimeout(timer);
}
