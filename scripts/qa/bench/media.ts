/**
 * `npm run bench -- media`: how long a model with a projector takes to read an image, alone and beside four streams, how long these wait for a
 * token meanwhile, and how much memory the model takes. A token without text sends nothing, so that a gap may be of several. The same is
 * asked of llama-server on the same files, if it was built (`npm run build:llama-server`).
 */
import { EventEmitter, once } from "node:events";
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import sharp from "sharp";
import { z } from "zod";
import { usableCores } from "../../../src/engine/worker/machine.js";
import { spawnLlamaServer } from "../../../test/kit/doubles/llama-server/process.js";
import { llamaServerProgram } from "../../../test/kit/doubles/llama-server/program.mjs";
import { writeSeeingModel } from "../../../test/kit/models/seeing-models.js";
import { quantile, spread, toRow, type Row } from "../figures/table.js";
import { chat, readGaps, type Target } from "../world/client.js";
import { atEnd, residentBytes, scratchFolder, stopProcess } from "../world/processes.js";
import { spawnServer } from "../world/server.js";

const family = "idefics3";
const rounds = 3;
const streams = 4;
/** Tokens after which a stream is counted as running. */
const tokensOfRunning = 8;
/** Three tiles of 64 tokens. */
const imageTokensMax = 256;
const contextTokens = 4096;

/** The tower of SmolVLM-256M over a language model of a third of its layers, with random weights. */
const sizes = {
  layers: 10,
  embedding: 576,
  heads: 9,
  kvHeads: 3,
  feedForward: 1536,
  contextLength: contextTokens,
  weights: "F16",
  shape: { embedding: 768, layers: 12, heads: 12, feedForward: 3072, image: 512, merge: 4, weights: "F16" },
} as const;

const greeting = { model: family, content: "hello", maxTokens: 1, stream: true } as const;

/** A server that is measured. */
interface Measured extends Target {
  readonly name: string;
  readonly pid: number;
  stop(): Promise<void>;
}

export async function* mediaSection(): AsyncGenerator<readonly Row[]> {
  const folder = join(tmpdir(), "hearth-bench-models", "seeing");
  mkdirSync(folder, { recursive: true });
  const [model, projector] = [join(folder, `${family}.gguf`), join(folder, `mmproj-${family}.gguf`)];
  if (!existsSync(projector)) await writeSeeingModel(folder, family, sizes);
  yield await memoryRows(folder, model);
  for (const start of [startOwn, startReference]) {
    const server = await start(folder, model, projector);
    if (server === null) continue;
    yield await measure(server);
    await server.stop();
  }
}

/** Compares what Hearth counts for a projector with what the process takes more for it, once it has read an image. */
async function memoryRows(folder: string, model: string): Promise<readonly Row[]> {
  const textOnly = scratchFolder();
  symlinkSync(model, join(textOnly.path, basename(model)));
  const promised: number[] = [];
  const used: number[] = [];
  // Two processes are compared, and the heap of each has its own size: one pair alone differs by a tenth.
  for (let round = 0; round < rounds; round += 1) {
    const without = await measureMemory(textOnly.path, (server) => chat(server, greeting));
    const beside = await measureMemory(folder, (server) => readImage(server, 1));
    promised.push(beside.promised - without.promised);
    used.push(beside.used - without.used);
  }
  textOnly.remove();
  const share = (quantile(promised, 0.5) / quantile(used, 0.5)).toFixed(2);
  return [
    toRow(
      "memory of the projector, promised",
      `${mb(quantile(promised, 0.5))} MB, ${share} of what is used`,
      "0.9 to 1.1",
    ),
    toRow(
      "memory of the projector, used",
      spread(
        used.map((bytes) => bytes / 1e6),
        0,
        "MB",
      ),
    ),
  ];
}

/** Returns the bytes that Hearth counts for the model, and by which its process grew. */
async function measureMemory(
  folder: string,
  ask: (server: Target) => Promise<unknown>,
): Promise<{ readonly promised: number; readonly used: number }> {
  const server = await startOwn(folder);
  const before = residentBytes(server.pid);
  await ask(server);
  const used = residentBytes(server.pid) - before;
  const headers = { authorization: `Bearer ${server.key}` };
  const listed = z
    .object({ models: z.array(z.object({ name: z.string(), size: z.number() })) })
    .parse(await (await fetch(`${server.url}/api/ps`, { headers })).json());
  await server.stop();
  const promised = listed.models.find(({ name }) => name.startsWith(family))?.size ?? 0;
  return { promised, used };
}

async function measure(server: Measured): Promise<readonly Row[]> {
  const { name, pid } = server;
  const before = residentBytes(pid);
  await chat(server, greeting);
  const withText = residentBytes(pid);
  const alone: number[] = [];
  for (let round = 0; round < rounds; round += 1) alone.push(await readImage(server, round));
  const used = residentBytes(pid) - before;
  const beside: BesideStreams[] = [];
  for (let round = 0; round < rounds; round += 1) beside.push(await readBesideStreams(server, round));
  const longest = (samples: readonly number[]): string =>
    `${quantile(samples, 0.5).toFixed(0)} ms, longest ${quantile(samples, 1).toFixed(0)} ms`;
  return [
    toRow(`${name}: a new image, first token`, spread(alone, 0, "ms")),
    toRow(
      `${name}: the same beside ${streams} streams`,
      spread(
        beside.map(({ ms }) => ms),
        0,
        "ms",
      ),
    ),
    toRow(`${name}: gaps of the streams before it`, longest(beside.flatMap(({ gapsBefore }) => gapsBefore))),
    toRow(
      `${name}: gaps of the streams meanwhile`,
      longest(beside.flatMap(({ gapsMeanwhile }) => gapsMeanwhile)),
    ),
    toRow(`${name}: memory with text, with images`, `${mb(withText - before)}, ${mb(used)} MB`),
  ];
}

/** An image that is read while streams are answered. */
interface BesideStreams {
  /** Time to the first token of its answer. */
  readonly ms: number;
  /** Milliseconds between two tokens of the streams. */
  readonly gapsBefore: readonly number[];
  readonly gapsMeanwhile: readonly number[];
}

async function readBesideStreams(server: Target, round: number): Promise<BesideStreams> {
  const leaving = new AbortController();
  const started = Array.from({ length: streams }, (_, at) =>
    startStream(server, `story ${round} ${at}`, leaving.signal),
  );
  await Promise.all(started.map(({ isRunning }) => isRunning));
  const askedAt = performance.now();
  const ms = await readImage(server, 100 + round);
  const doneAt = performance.now();
  leaving.abort();
  await Promise.all(started.map(({ ended }) => ended));
  const gapsWhile = (isCounted: (at: number) => boolean): readonly number[] =>
    started.flatMap(({ arrivals }) => readGaps({ arrivals: arrivals.filter(isCounted) }));
  return {
    ms,
    gapsBefore: gapsWhile((at) => at < askedAt),
    gapsMeanwhile: gapsWhile((at) => at >= askedAt && at <= doneAt),
  };
}

/** Starts an answer that lasts until the signal aborts. @returns when its tokens come, and when it runs and has ended */
function startStream(server: Target, content: string, signal: AbortSignal) {
  const arrivals: number[] = [];
  const running = new EventEmitter();
  const isRunning = once(running, "running");
  const onText = (nth: number): void => {
    arrivals.push(performance.now());
    if (nth === tokensOfRunning) running.emit("running");
  };
  const maxTokens = contextTokens - 200;
  // The likeliest token of random weights may be one without text, or the end.
  const sampling = { temperature: 1, ignoresEnd: true } as const;
  const answer = chat(server, {
    model: family,
    content,
    maxTokens,
    stream: true,
    signal,
    onText,
    ...sampling,
  });
  const early = answer.then(({ status, body }) => {
    throw new Error(`a stream has ended before it ran: ${status} ${body}`);
  });
  return { arrivals, isRunning: Promise.race([isRunning, early]), ended: answer.catch(() => undefined) };
}

/** Returns the time to the first token of an answer about an image that was never read before. */
async function readImage(server: Target, seed: number): Promise<number> {
  const url = `data:image/png;base64,${(await draw(seed)).toString("base64")}`;
  const ask = { model: family, content: "what is it", images: [url], maxTokens: 1, stream: true };
  const { arrivals, askedAt, endedAt } = await chat(server, ask);
  return (arrivals[0] ?? endedAt) - askedAt;
}

function draw(seed: number): Promise<Buffer> {
  const [width, height] = [640, 480];
  const rgb = Uint8Array.from({ length: width * height * 3 }, (_, at) => (at * (seed + 3)) & 255);
  return sharp(rgb, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer();
}

async function startOwn(folder: string): Promise<Measured> {
  const server = await spawnServer({
    HEARTH_MODELS: folder,
    HEARTH_SLOTS_PER_MODEL: String(streams + 1),
    HEARTH_CONTEXT_TOKENS_MAX: String(contextTokens),
    HEARTH_IMAGE_TOKENS_MAX: String(imageTokensMax),
  });
  return { ...server, name: "Hearth" };
}

/** Returns null where there is no llama-server. */
async function startReference(_folder: string, model: string, projector: string): Promise<Measured | null> {
  if (llamaServerProgram() === null) return null;
  const args = ["--mmproj", projector, "--image-max-tokens", String(imageTokensMax), "--no-warmup"];
  const options = { slots: streams + 1, contextTokens, threads: usableCores(), args };
  const { url, child } = await spawnLlamaServer(model, options, atEnd);
  return { name: "llama-server", url, key: "", pid: child.pid ?? 0, stop: () => stopProcess(child) };
}

function mb(bytes: number): string {
  return (bytes / 1e6).toFixed(0);
}
