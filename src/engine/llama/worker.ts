/**
 * The llama worker thread: owns the native library and every loaded model, answers the calls of engine.ts and passes jobs to the tick
 * loop.
 */
import { workerData } from "node:worker_threads";
import { getLlama, LlamaLogLevel, type Llama } from "node-llama-cpp";
import type { Conversation, Prompt } from "../../core/engine.js";
import { HearthError } from "../../core/errors.js";
import type { RawPrompt } from "../../core/generation.js";
import type { Model } from "../../core/model.js";
import { templateRenderers } from "../template/renderer.js";
import { threadClock } from "../thread-clock.js";
import { packTokens, type PackedTokens } from "../packed-tokens.js";
import { hostWorker, logToClient, reportNews, type WorkerCall } from "../worker-host.js";
import { PrefixStore } from "./decode/prefix-store.js";
import { TickLoop } from "./decode/tick.js";
import { loadResident, type Resident } from "./load/resident.js";
import type {
  JobUpdate,
  LlamaModelInfo,
  LlamaReplies,
  LlamaRequest,
  LlamaSettings,
  SeededJob,
} from "./protocol.js";

/** A job in the tick loop, whose id is its call's. */
interface RunningJob {
  readonly resolve: () => void;
  readonly reject: (error: HearthError) => void;
}

const settings = workerData as LlamaSettings;
const residents = new Map<string, Promise<Resident>>();
/** The residents that are loaded. */
const loaded = new Map<string, Resident>();
const jobs = new Map<number, RunningJob>();
const ticks = new TickLoop(
  {
    tokenGapMsMax: settings.tokenGapMsMax,
    store: openStore(settings),
    now: () => performance.now(),
  },
  report,
);
const openRenderer = templateRenderers({
  clock: threadClock,
  workerUrl: new URL("../template/worker.js", import.meta.url),
  log: logToClient,
});
let library: Promise<Llama> | null = null;

hostWorker<LlamaRequest>({ answer, close });

/** Opens the prefix cache; null when there is none or it cannot be opened. */
function openStore({ prefixCacheFolder, prefixCacheBytesMax }: LlamaSettings): PrefixStore | null {
  if (prefixCacheFolder === null || prefixCacheBytesMax === 0) return null;
  try {
    return new PrefixStore(prefixCacheFolder, prefixCacheBytesMax);
  } catch (thrown) {
    logToClient("warn", `no prefix cache: ${String(thrown)}`);
    return null;
  }
}

function answer(
  request: LlamaRequest,
  call: WorkerCall,
): LlamaReplies[keyof LlamaReplies] | Promise<LlamaReplies[keyof LlamaReplies]> {
  switch (request.type) {
    case "load":
      return load(request.model);
    case "unload":
      return unload(request.model.manifest.id);
    case "prompt":
      return buildPrompt(inMemory(request.id), request.source);
    case "tokenize":
      return tokensOf(inMemory(request.id), request.text);
    case "generate":
      return generate(inMemory(request.id), request.decode, call);
  }
}

async function load(model: Model): Promise<LlamaModelInfo> {
  const { contextTokens, device, tools, repairs } = await resident(model);
  const { slotsPerModel: slots } = settings;
  return { contextTokens, slots, device, templateRepairs: repairs, callsAreExact: tools.exact };
}

function buildPrompt({ prompts }: Resident, source: Conversation | RawPrompt): Prompt | Promise<Prompt> {
  return "prompt" in source ? prompts.buildRaw(source) : prompts.build(source);
}

function tokensOf({ prompts, tokenBytes }: Resident, text: string): PackedTokens {
  return packTokens(prompts.tokenize(text), (id) => tokenBytes.of(id));
}

/** Runs a job. The job is submitted synchronously, so that an abort can never be handled before it. */
function generate(model: Resident, decode: SeededJob, { id, signal }: WorkerCall): Promise<void> {
  return new Promise((resolve, reject) => {
    jobs.set(id, { resolve, reject });
    ticks.submit(model, id, decode);
    signal.addEventListener("abort", () => ticks.cancel(id), { once: true });
  });
}

/** Reports the updates of one tick in one message, and ends the calls of jobs that have ended. */
function report(updates: readonly JobUpdate[]): void {
  reportNews(updates.map(({ job, events }) => ({ id: job, news: events })));
  for (const { job, error, done } of updates) {
    if (!done) continue;
    const running = jobs.get(job);
    jobs.delete(job);
    if (error === null) running?.resolve();
    else running?.reject(error);
  }
}

function inMemory(id: string): Resident {
  const found = loaded.get(id);
  if (found === undefined) throw new Error(`the model '${id}' is not loaded`);
  return found;
}

function resident(model: Model): Promise<Resident> {
  const { id } = model.manifest;
  const known = residents.get(id);
  if (known !== undefined) return known;
  const loading = native().then((llama) => loadResident(llama, model, settings, openRenderer));
  residents.set(id, loading);
  loading.then(
    (ready) => loaded.set(id, ready),
    () => residents.delete(id),
  );
  return loading;
}

/** Unloads a model. No job may be running on it. */
async function unload(id: string): Promise<void> {
  const leaving = loaded.get(id);
  loaded.delete(id);
  residents.delete(id);
  if (leaving === undefined) return;
  await ticks.releaseModel(leaving);
  await leaving.dispose();
}

function native(): Promise<Llama> {
  library ??= getLlama({
    gpu: settings.gpu === "off" ? false : settings.gpu,
    build: "never",
    skipDownload: true,
    progressLogs: false,
    maxThreads: settings.threads ?? settings.cores,
    // Its warnings concern settings that are chosen deliberately here (padding, training length).
    logLevel: LlamaLogLevel.error,
    logger: (_level, message) => logToClient("error", message.trimEnd()),
  }).catch((thrown: unknown) => {
    library = null;
    throw new HearthError("model_unavailable", "The inference library could not be started.", {
      cause: thrown,
    });
  });
  return library;
}

async function close(): Promise<void> {
  await ticks.drain();
  for (const loading of residents.values())
    await loading.then((model) => model.dispose()).catch(() => undefined);
  residents.clear();
  loaded.clear();
  if (library !== null) await library.then((llama) => llama.dispose()).catch(() => undefined);
}
