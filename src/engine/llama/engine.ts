/**
 * The llama engine as the HTTP thread uses it: implements the engine port with a worker thread. All models, contexts, tokenization and
 * templates live in the worker (worker.ts), so that neither prefill nor a long text blocks other requests.
 */
import { Channel } from "../../core/channel.js";
import type { Clock } from "../../core/clock.js";
import type { EmbeddingEngine } from "../../core/embeddings/engine.js";
import type { InputSource } from "../../core/embeddings/request.js";
import type { Conversation, DecodeJob, Engine } from "../../core/engine.js";
import { notRead, toHearthError } from "../../core/errors.js";
import type { EngineEvent, RawPrompt } from "../../core/generation.js";
import { eventMerging, waitingEventsMax } from "../../core/requests/event-merging.js";
import { loadKey, type Model } from "../../core/model.js";
import type { Random } from "../../core/random.js";
import type { ModelMemory } from "../memory/model-memory.js";
import { unpackTokens } from "../language/packed-tokens.js";
import { ResidentModels } from "../memory/resident-models.js";
import type { RemoteReport } from "../remote/protocol.js";
import { WorkerClient } from "../worker/client.js";
import { refuseLongInputs } from "../language/inputs/input-length.js";
import { memoryEstimate } from "./load/memory-estimate.js";
import { refuseLongPrompt, type PromptBounds } from "../language/prompt/prompt-length.js";
import type { LlamaModelInfo, LlamaReplies, LlamaRequest, LlamaSettings, SeededJob } from "./protocol.js";

/** Time to store long prefixes and free native memory; what is not stored by then is evaluated again. */
const closeMsMax = 8_000;
/** Seconds that the worker's event loop may be blocked. To start a GPU or to read a large vocabulary blocks it for long. */
const blockedSecondsMax = { otherwise: 10, loading: 60 } as const;
/** Characters that are tokenized in a second, at least: a long text blocks the event loop, too. */
const charactersPerSecondMin = 100_000;

export interface LlamaEngineDeps {
  readonly settings: LlamaSettings;
  readonly random: Random;
  readonly clock: Clock;
  /** Shared with the other engines. */
  readonly memory: ModelMemory;
  /** How long an idle model stays in memory. */
  readonly keepAliveMs: number;
  /** Returns one public sentence when the weights do not match their manifest, else null. */
  readonly verify: (model: Model) => Promise<string | null>;
  /** Returns one public sentence when a trial load in a child process fails, else null. */
  readonly smoke: (model: Model) => Promise<string | null>;
  /** Compiled worker.js; tests that run from the sources pass the compiled one, too. */
  readonly workerUrl: URL;
  readonly log: (level: "warn" | "error", message: string) => void;
  /** Called when the worker hangs in native code: only the end of the process ends it. */
  readonly onHang?: () => void;
}

type LlamaWorker = WorkerClient<LlamaRequest, LlamaReplies, readonly EngineEvent[]>;

/** The engine of all GGUF models. */
export interface LlamaEngine extends Engine {
  /** The same engine, for models that embed or score. */
  readonly embeddings: EmbeddingEngine;
  /** The worker, for models that remote engines run. */
  readonly language: LanguageWorker;
}

/** What the worker does for a model that a remote engine runs: it has vocabulary and template, and speaks with the engine. */
export interface LanguageWorker
  extends Pick<Engine, "prompt" | "tokenize">, Pick<EmbeddingEngine, "tokenizeInputs"> {
  /** Calls the function whenever the worker is lost, and with it all models in it. */
  onLost(action: () => void): void;
  load(model: Model): Promise<LlamaModelInfo>;
  unload(model: Model): Promise<void>;
  /** Returns the job with a seed. */
  seeded(job: DecodeJob): SeededJob;
  /** Generates on one server. */
  generate(
    request: Omit<Extract<LlamaRequest, { type: "generate-remote" }>, "type">,
    signal: AbortSignal,
    onNews: (events: readonly EngineEvent[]) => void,
  ): Promise<RemoteReport>;
}

/** Creates the engine; the worker starts with the first load. */
export function createLlamaEngine(deps: LlamaEngineDeps): LlamaEngine {
  const { clock, workerUrl, settings, log } = deps;
  const onLost: (() => void)[] = [];
  const worker: LlamaWorker = new WorkerClient({
    clock,
    name: "llama",
    workerUrl,
    workerData: settings,
    onAbort: "stop",
    blockedSecondsMax: (inFlight) =>
      Math.max(0, ...inFlight.map(allowedSeconds)) + blockedSecondsMax.otherwise,
    closeMsMax,
    onExit() {
      models.dropAll();
      for (const action of onLost) action();
    },
    log,
    ...(deps.onHang === undefined ? {} : { onHang: deps.onHang }),
  });
  const models: ResidentModels<LlamaModelInfo> = new ResidentModels<LlamaModelInfo>({
    ...deps,
    estimate: (model) => memoryEstimate(model, settings),
    check: async (model) => (await deps.verify(model)) ?? (await deps.smoke(model)),
    load: (model) => language.load(model),
    unload: (model) => language.unload(model),
  });
  const language = {
    ...languageWorker(worker, deps.random),
    onLost: (action: () => void) => void onLost.push(action),
  };
  return {
    embeddings: embeddingEngine(worker, language, models),
    language,
    load: (model, signal) => models.lease(model, signal),
    prompt: (model, source) => language.prompt(model, source),
    tokenize: (model, text) => language.tokenize(model, text),
    generate: (model, job, signal) => generate(worker, model, language.seeded(job), signal),
    residents: () => models.list(),
    problem: () => (worker.isBlocked ? "the chat engine does not answer" : null),
    async close() {
      const closed = worker.close();
      models.dropAll();
      await closed;
    },
  };
}

function languageWorker(worker: LlamaWorker, random: Random): Omit<LanguageWorker, "onLost"> {
  const bounds = new Map<string, PromptBounds>();
  return {
    async load(model) {
      const info = await worker.call({ type: "load", model });
      bounds.set(loadKey(model), info);
      return info;
    },
    async unload(model) {
      bounds.delete(loadKey(model));
      await worker.call({ type: "unload", model });
    },
    async prompt(model, prompt) {
      const bound = bounds.get(loadKey(model));
      if (bound !== undefined) refuseLongPrompt(prompt, bound);
      const source = "prompt" in prompt ? prompt : conversationOf(prompt);
      return worker.call({ type: "prompt", key: loadKey(model), source });
    },
    tokenize: async (model, text) =>
      unpackTokens(await worker.call({ type: "tokenize", key: loadKey(model), text })),
    async tokenizeInputs(model, source, signal) {
      const bound = bounds.get(loadKey(model));
      if (bound !== undefined) refuseLongInputs(source, bound.contextTokens);
      return worker.call({ type: "inputs", key: loadKey(model), source }, { signal });
    },
    // The worker has the rules; a schema may be large.
    seeded: ({ format: _format, ...job }) => ({
      ...job,
      seed: job.sampling.seed ?? seedFrom(random.bytes(4)),
    }),
    generate: (request, signal, onNews) =>
      worker.call({ type: "generate-remote", ...request }, { signal, onNews }),
  };
}

function embeddingEngine(
  worker: LlamaWorker,
  { tokenizeInputs }: Pick<LanguageWorker, "tokenizeInputs">,
  models: ResidentModels<LlamaModelInfo>,
): EmbeddingEngine {
  return {
    load: (model, signal) => models.lease(model, signal),
    tokenizeInputs,
    embed: (model, inputs, signal) => worker.call({ type: "embed", key: loadKey(model), inputs }, { signal }),
    residents: () => models.list(),
  };
}

/** Seconds that a request may block the worker for, in addition to those that any may. */
function allowedSeconds(request: LlamaRequest): number {
  switch (request.type) {
    case "load":
    case "unload":
      return blockedSecondsMax.loading;
    case "tokenize":
      return Math.floor(request.text.length / charactersPerSecondMin);
    case "inputs":
      return Math.floor(charactersOf(request.source) / charactersPerSecondMin);
    case "prompt":
      return Math.floor(lengthOf(request.source) / charactersPerSecondMin);
    default:
      return 0;
  }
}

function lengthOf(source: Conversation | RawPrompt): number {
  if ("prompt" in source) return source.prompt.length + (source.suffix?.length ?? 0);
  return source.messages.reduce((length, { content }) => length + content.length, 0);
}

function charactersOf(source: InputSource): number {
  const inputs = source.type === "inputs" ? source.inputs : [source.query, ...source.documents];
  return inputs.reduce((length, input) => length + input.length, 0);
}

/** Drops further properties of the object, which the worker does not need. */
function conversationOf({ messages, tools, reasoningEffort, prefill }: Conversation): Conversation {
  return { messages, tools, reasoningEffort, ...(prefill === undefined ? {} : { prefill }) };
}

/** Starts a job. @returns its events; the stream of an aborted job ends without `generation-end`. */
function generate(
  worker: LlamaWorker,
  model: Model,
  decode: SeededJob,
  signal: AbortSignal,
): AsyncIterable<EngineEvent> {
  const channel = new Channel<EngineEvent>(waitingEventsMax, eventMerging);
  const onNews = (events: readonly EngineEvent[]): void => {
    for (const event of events) if (!channel.push(event)) channel.fail(notRead());
  };
  worker.call({ type: "generate", key: loadKey(model), decode }, { signal, onNews }).then(
    () => channel.end(),
    (thrown: unknown) => (signal.aborted ? channel.end() : channel.fail(toHearthError(thrown))),
  );
  return channel;
}

function seedFrom(bytes: Uint8Array): number {
  return new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0);
}
