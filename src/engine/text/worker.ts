/**
 * The llama worker thread: owns the native library and every loaded model, answers the calls of engine.ts and passes jobs to the tick
 * loop.
 */
import { workerData } from "node:worker_threads";
import { getLlama, LlamaLogLevel, type Llama } from "node-llama-cpp";
import type { Conversation, Prompt } from "../../core/engine.js";
import { HearthError } from "../../core/errors.js";
import type { EngineEvent, RawPrompt } from "../../core/generation.js";
import { loadKey, type Model } from "../../core/model.js";
import type { ModelLanguage } from "../language/language.js";
import { remoteClientOf } from "../remote/clients.js";
import { loadInputReader, type InputReader } from "../language/inputs/input-reader.js";
import { RemoteGeneration } from "../remote/generation.js";
import { loadLanguage, type RemoteLanguage } from "../language/load/load-language.js";
import type { RemoteReport } from "../remote/protocol.js";
import { templateRenderers } from "../language/renderer/renderer.js";
import { threadClock } from "../worker/thread-clock.js";
import { packTokens, type PackedTokens } from "../language/packed-tokens.js";
import { hostWorker, logToClient, reportNews, type WorkerCall } from "../worker/host.js";
import { boundGrammarWork } from "../native/grammar-work.js";
import { PrefixStore } from "../llama/decode/prefixes/prefix-store.js";
import { StepWatch } from "../llama/step-watch.js";
import { TickLoop } from "../llama/decode/tick.js";
import { withLoadSettings } from "../llama/load/load-settings.js";
import { contextTokensOf, isLong, longFormOf } from "../llama/load/long-context.js";
import { ResidentMap } from "../memory/resident-map.js";
import { plainLoading } from "../native/plain-weights.js";
import { loadResident, type Resident } from "../llama/load/resident.js";
import { threadChooser, type ChooseThreads } from "../llama/threads/choose-threads.js";
import { keepThreads } from "../native/thread-pool.js";
import { loadEmbedder, type Embedder } from "../llama/embed/embedder.js";
import type { RunPiece } from "../llama/embed/pooled-context.js";
import type {
  JobUpdate,
  LlamaModelInfo,
  LlamaReplies,
  LlamaRequest,
  LlamaSettings,
  SeededJob,
} from "../llama/protocol.js";

/** A job in the tick loop, whose id is its call's. */
interface RunningJob {
  readonly resolve: () => void;
  readonly reject: (error: HearthError) => void;
}

const settings = workerData as LlamaSettings;
const steps = new StepWatch(() => performance.now());
const loadForm = async (model: Model): Promise<Resident> =>
  loadResident(await native(), model, settings, { openRenderer, chooseThreads, loadPlainly, steps });
const residents = new ResidentMap<Resident>(loadForm);
/** Forms of the residents for long prompts. */
const longForms = new ResidentMap<Resident>(loadForm);
const embedders = new ResidentMap<Embedder>(async (model) =>
  loadEmbedder(await native(), model, settings, loadPlainly),
);
/** Vocabularies and templates of models that remote engines run. */
const languages = new ResidentMap<RemoteLanguage>(async (model) =>
  loadLanguage(await native(), model, openRenderer),
);
/** Vocabularies of embedding models that remote engines run. */
const inputReaders = new ResidentMap<InputReader>(async (model) => loadInputReader(await native(), model));
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
  workerUrl: new URL("../language/renderer/worker.js", import.meta.url),
  log: logToClient,
});
const keptThreads = keepThreads(settings.threadPoolFile);
const loadPlainly = plainLoading(settings.plainWeightsFile);
boundGrammarWork(settings.grammarWorkFile);
const chooseThreads = openThreadChooser(settings);
let library: Promise<Llama> | null = null;

hostWorker<LlamaRequest>({ answer, close, isStuck: () => steps.isStuck });

/** Opens the prefix cache; null when there is none or it cannot be opened. */
function openStore({ prefixCacheFolder, prefixCacheBytesMax }: LlamaSettings): PrefixStore | null {
  if (prefixCacheFolder === null || prefixCacheBytesMax === 0) return null;
  try {
    return new PrefixStore(prefixCacheFolder, prefixCacheBytesMax, () => performance.now());
  } catch (thrown) {
    logToClient("warn", `no prefix cache: ${String(thrown)}`);
    return null;
  }
}

function openThreadChooser({ threadPlansFile, cores }: LlamaSettings): ChooseThreads | null {
  if (threadPlansFile === null) return null;
  return threadChooser({
    plansFile: threadPlansFile,
    cores,
    keepsThreads: keptThreads.type === "kept",
    runBetween: (work) => ticks.runBetween(work),
    now: () => performance.now(),
    occupyThread(ms) {
      const endsAt = performance.now() + ms;
      while (performance.now() < endsAt);
    },
  });
}

function answer(
  request: LlamaRequest,
  call: WorkerCall,
): LlamaReplies[keyof LlamaReplies] | Promise<LlamaReplies[keyof LlamaReplies]> {
  switch (request.type) {
    case "load":
      return load(request.model);
    case "unload":
      return unload(loadKey(request.model));
    case "prompt":
      return buildPrompt(languageOf(request.key), request.source);
    case "tokenize":
      return tokensOf(request.key, request.text);
    case "inputs":
      return inputsOf(request.key).tokensOf(request.source, call.signal);
    case "embed":
      return embed(embedders.get(request.key), request.inputs, call);
    case "generate":
      return generateInForm(residents.get(request.key), request.decode, call);
    case "generate-remote":
      return generateRemotely(languages.get(request.key), request, call);
  }
}

async function load(model: Model): Promise<LlamaModelInfo> {
  const { slotsPerModel: slots } = withLoadSettings(settings, model.load);
  if (model.manifest.kind !== "chat") {
    const loaded = model.remote === undefined ? embedders.load(model) : inputReaders.load(model);
    const { contextTokens, device, dimensions } = await loaded;
    return { contextTokens, slots, device, dimensions, templateRepairs: [], callsAreExact: true };
  }
  if (model.remote !== undefined)
    return { ...describeLanguage(await languages.load(model)), slots, device: model.remote.engine };
  const resident = await residents.load(model);
  const info = { ...describeLanguage(resident), slots, device: resident.device };
  return isTwofold(model) ? { ...info, contextTokens: contextTokensOf(model, settings) } : info;
}

/** Returns what a chat model's language says of it. */
function describeLanguage(
  language: ModelLanguage & { readonly contextTokens: number },
): Omit<LlamaModelInfo, "slots" | "device"> {
  const { contextTokens, longestTokenBytes, tools, repairs, reasoning, vocabularyTokens } = language;
  return {
    contextTokens,
    longestTokenBytes,
    dimensions: 0,
    templateRepairs: repairs,
    templateCall: tools.example,
    ...(reasoning === null ? {} : { templateReasoning: [reasoning.open, reasoning.close] }),
    callsAreExact: tools.exact,
    vocabularyTokens,
  };
}

function languageOf(key: string): ModelLanguage {
  return languages.has(key) ? languages.get(key) : residents.get(key);
}

function buildPrompt({ prompts }: ModelLanguage, source: Conversation | RawPrompt): Prompt | Promise<Prompt> {
  return "prompt" in source ? prompts.buildRaw(source) : prompts.build(source);
}

function inputsOf(key: string): Pick<Embedder, "tokensOf"> {
  return inputReaders.has(key) ? inputReaders.get(key) : embedders.get(key);
}

function tokensOf(key: string, text: string): PackedTokens {
  // Nothing asks for the bytes of an input's tokens.
  if (inputReaders.has(key)) return packTokens(inputReaders.get(key).tokenize(text), () => new Uint8Array());
  const { prompts, tokenBytes } = languageOf(key);
  return packTokens(prompts.tokenize(text), (id) => tokenBytes.of(id));
}

function isTwofold(model: Model): boolean {
  return longFormOf(model, settings) !== null;
}

/** Runs a job in the form of the model for prompts of its length. */
function generateInForm(resident: Resident, decode: SeededJob, call: WorkerCall): Promise<void> {
  const long = isLong(resident.model, decode.prompt.tokens.length)
    ? longFormOf(resident.model, settings)
    : null;
  if (long === null) return generate(resident, decode, call);
  return longForms
    .load(long)
    .then((loaded) => (call.signal.aborted ? undefined : generate(loaded, decode, call)));
}

/** Runs a job. The job is submitted synchronously, so that an abort can never be handled before it. */
function generate(model: Resident, decode: SeededJob, { id, signal }: WorkerCall): Promise<void> {
  return new Promise((resolve, reject) => {
    jobs.set(id, { resolve, reject });
    ticks.submit(model, id, decode);
    signal.addEventListener("abort", () => ticks.cancel(id), { once: true });
  });
}

/** Runs a job of a model that a remote engine runs. */
function generateRemotely(
  language: RemoteLanguage,
  { decode, target }: Extract<LlamaRequest, { type: "generate-remote" }>,
  { id, signal }: WorkerCall,
): Promise<RemoteReport> {
  const { contextTokens, endTokens } = language;
  const client = remoteClientOf(target.kind, language);
  const emit = (news: readonly EngineEvent[]): void => reportNews([{ id, news }]);
  const deps = { language, contextTokens, client, endTokens, emit };
  return new RemoteGeneration(deps, decode, target).run(signal);
}

/** Evaluates inputs one after the other, piece by piece between the ticks of running generations. */
async function embed(
  model: Embedder,
  inputs: readonly Uint32Array[],
  { signal }: WorkerCall,
): Promise<readonly Float32Array[]> {
  const vectors: Float32Array[] = [];
  for (const tokens of inputs) {
    const runPiece: RunPiece = (work) => {
      signal.throwIfAborted();
      return ticks.runBetween(work);
    };
    vectors.push(await model.evaluate(tokens, runPiece));
  }
  return vectors;
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

/** Unloads a model. No job may be running on it. */
async function unload(key: string): Promise<void> {
  await embedders.take(key)?.dispose();
  await languages.take(key)?.dispose();
  await inputReaders.take(key)?.dispose();
  const leaving = residents.take(key);
  if (leaving === undefined) return;
  const long = longFormOf(leaving.model, settings);
  for (const form of [leaving, long === null ? undefined : longForms.take(loadKey(long))]) {
    if (form === undefined) continue;
    await ticks.releaseModel(form);
    await form.dispose();
  }
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
  await residents.disposeAll();
  await longForms.disposeAll();
  await embedders.disposeAll();
  await languages.disposeAll();
  await inputReaders.disposeAll();
  if (library !== null) await library.then((llama) => llama.dispose()).catch(() => undefined);
}
