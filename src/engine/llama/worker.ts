/**
 * The engine's worker thread: owns the native library and every model in memory, answers the calls of engine.ts and hands
 * jobs to the tick loop. Runs until told to close; it never ends the process.
 */
import { parentPort, workerData } from "node:worker_threads";
import { getLlama, LlamaLogLevel, type Llama } from "node-llama-cpp";
import type { Conversation, Prompt } from "../../core/engine.js";
import { asHearthError, HearthError } from "../../core/errors.js";
import type { RawPrompt } from "../../core/generation.js";
import type { Model } from "../../core/model.js";
import { packTokens, type PackedTokens } from "../packed-tokens.js";
import { PrefixStore } from "./decode/prefix-store.js";
import type { Call, FromWorker, LlamaSettings, SeededJob, ToWorker } from "./protocol.js";
import { loadResident, type Resident } from "./load/resident.js";
import { TickLoop } from "./decode/tick.js";
import { wireError } from "./wire-error.js";

const settings = workerData as LlamaSettings;
const residents = new Map<string, Promise<Resident>>();
/** The residents that are loaded: a job and its cancel must be handled in the order in which they came. */
const loaded = new Map<string, Resident>();
const ticks = new TickLoop(
  {
    tokenGapMsMax: settings.tokenGapMsMax,
    store: openStore(settings),
    now: () => performance.now(),
  },
  (news) => send({ type: "news", news }),
);
let library: Promise<Llama> | null = null;

parentPort?.on("message", (message: ToWorker) => {
  if (message.type === "generate") generate(message.job, message.id, message.decode);
  else if (message.type === "cancel") ticks.cancel(message.job);
  else void answer(message);
});

/** A cache that cannot be opened is done without. */
function openStore({ prefixCacheFolder, prefixCacheBytesMax }: LlamaSettings): PrefixStore | null {
  if (prefixCacheFolder === null || prefixCacheBytesMax === 0) return null;
  try {
    return new PrefixStore(prefixCacheFolder, prefixCacheBytesMax);
  } catch (thrown) {
    send({ type: "log", level: "warn", message: `no prefix cache: ${String(thrown)}` });
    return null;
  }
}

function send(message: FromWorker): void {
  parentPort?.postMessage(message);
}

async function answer(call: Call): Promise<void> {
  try {
    send(await reply(call));
  } catch (thrown) {
    send({ type: "failed", call: call.call, error: wireError(asHearthError(thrown)) });
  }
}

async function reply(call: Call): Promise<FromWorker> {
  switch (call.type) {
    case "load": {
      const { contextTokens, device, tools } = await resident(call.model);
      return {
        type: "loaded",
        call: call.call,
        loaded: { contextTokens, slots: settings.slotsPerModel, device, callsAreExact: tools.exact },
      };
    }
    case "unload":
      await unload(call.model.manifest.id);
      return { type: "done", call: call.call };
    case "prompt":
      return { type: "prompted", call: call.call, prompt: makePrompt(inMemory(call.id), call.source) };
    case "tokenize":
      return { type: "tokenized", call: call.call, tokens: tokensOf(inMemory(call.id), call.text) };
    case "close":
      await close();
      return { type: "done", call: call.call };
  }
}

function makePrompt({ prompts }: Resident, source: Conversation | RawPrompt): Prompt {
  return "prompt" in source ? prompts.makeRaw(source) : prompts.make(source);
}

function tokensOf({ prompts, tokenBytes }: Resident, text: string): PackedTokens {
  return packTokens(prompts.tokenize(text), (id) => tokenBytes.of(id));
}

function generate(job: number, id: string, decode: SeededJob): void {
  try {
    ticks.submit(inMemory(id), job, decode);
  } catch (thrown) {
    const error = wireError(asHearthError(thrown));
    send({ type: "news", news: [{ job, events: [], error, done: true }] });
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
  const loading = native().then((llama) => loadResident(llama, model, settings));
  residents.set(id, loading);
  loading.then(
    (ready) => loaded.set(id, ready),
    () => residents.delete(id),
  );
  return loading;
}

/** Nothing runs on it: the caller has seen to that. */
async function unload(id: string): Promise<void> {
  const leaving = loaded.get(id);
  loaded.delete(id);
  residents.delete(id);
  if (leaving === undefined) return;
  await ticks.forget(leaving);
  await leaving.dispose();
}

function native(): Promise<Llama> {
  library ??= getLlama({
    gpu: settings.gpu === "off" ? false : settings.gpu,
    build: "never",
    skipDownload: true,
    progressLogs: false,
    maxThreads: settings.threads ?? settings.cores,
    // Its warnings are about its own choices (padding, training length), which are made here on purpose.
    logLevel: LlamaLogLevel.error,
    logger: (_level, message) => send({ type: "log", level: "error", message: message.trimEnd() }),
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
