/**
 * Models that run in other servers: implements the engine port. Prompts are built and answers are parsed in the thread of text models, with the
 * vocabulary and the template of the model's own file; this thread chooses the server and keeps its state.
 */
import { Channel } from "../../core/channel.js";
import type { Clock } from "../../core/clock.js";
import type { DecodeJob, Engine, LoadedModel, NativeModelInfo, ResidentModel } from "../../core/engine.js";
import { notRead, toHearthError, type HearthError } from "../../core/errors.js";
import type { EngineEvent } from "../../core/generation.js";
import { eventMerging, waitingEventsMax } from "../../core/requests/event-merging.js";
import { loadKey, type Model } from "../../core/model.js";
import type { Random } from "../../core/random.js";
import type { LanguageWorker } from "../language/language-worker.js";
import { seedJob, type SeededJob } from "../language/seeded-job.js";
import type { ModelMemory } from "../memory/model-memory.js";
import { ResidentModels, type LeasedModel } from "../memory/resident-models.js";
import { sampleText } from "./check.js";
import { createRemoteEmbeddings } from "./embedding-engine.js";
import { isUnreachable, mayBeTriedElsewhere } from "./errors.js";
import { languageBytes } from "../language/load/language-bytes.js";
import { RemotePool, type RemoteEngineSettings } from "./pool.js";
import type { Replica } from "./replica.js";
import { SilenceWatch } from "./calls/silence.js";
import { traceCall, type CallTracing } from "./calls/traced-call.js";
import { createTextEngine } from "./text/text-engine.js";
import type { WorkerClient } from "../worker/client.js";
import type { RemoteReplies, RemoteRequest } from "./protocol.js";

interface RemoteEngineDeps {
  readonly engines: readonly RemoteEngineSettings[];
  /** The thread that generates: it has the vocabularies, and speaks with the servers. */
  readonly worker: Pick<WorkerClient<RemoteRequest, RemoteReplies, readonly EngineEvent[]>, "call">;
  readonly language: LanguageWorker;
  readonly random: Random;
  readonly clock: Clock;
  readonly tracing: CallTracing;
  readonly memory: ModelMemory;
  readonly keepAliveMs: number;
  readonly log: (level: "warn" | "error", message: string) => void;
}

interface RemoteModelInfo extends NativeModelInfo {
  readonly callsAreExact: boolean;
  /** Tokens of the sample text. */
  readonly sample: readonly number[];
}

export function createRemoteEngine(deps: RemoteEngineDeps) {
  const { language, tracing, clock } = deps;
  const pools = createPools(deps);
  const findPool = (model: Model): RemotePool => poolIn(pools, model);
  /** The pools of loaded models by their id. */
  const poolsInUse = new Map<string, RemotePool>();
  const models: ResidentModels<RemoteModelInfo> = new ResidentModels<RemoteModelInfo>({
    ...deps,
    estimate: ({ manifest }) => languageBytes(manifest.bytes),
    check: () => Promise.resolve(null),
    load(model) {
      poolsInUse.set(model.manifest.id, findPool(model));
      return loadLanguage(deps, model, findPool(model));
    },
    unload: (model) => language.unload(model),
  });
  language.onLost(() => models.dropAll());
  const lease = (model: Model, signal?: AbortSignal) => leaseVerified(models, findPool(model), model, signal);
  const texts = createTextEngine(findPool, deps);
  const isText = (model: Model): boolean => findPool(model).settings.kind === "openai";
  const residents = () =>
    models.list().map((resident) => shownResident(resident, poolsInUse.get(resident.id)));
  const engine: Engine = {
    async load(model, signal) {
      if (isText(model)) return texts.load(model);
      const pool = findPool(model);
      await pool.ready();
      const leased = await lease(model, signal);
      const countsWholeAnswer = pool.settings.kind !== "llama-server";
      const place = { slots: pool.slots, sharedAs: pool.sharedAs(model) };
      return { ...leased, ...place, countsWholeAnswer } satisfies LoadedModel;
    },
    prompt: (model, source) => (isText(model) ? texts : language).prompt(model, source),
    tokenize: (model, text) => (isText(model) ? texts : language).tokenize(model, text),
    generate: (model, job, signal) => {
      if (isText(model)) return texts.generate(model, job, signal);
      return openGeneration(findPool(model), deps, { model, job: seedJob(job, deps.random), signal });
    },
    residents: () => [...residents(), ...texts.residents()],
    problem: () => null,
    close() {
      for (const pool of pools.values()) pool.close();
      models.dropAll();
      return Promise.resolve();
    },
  };
  return {
    ...engine,
    /** The same engine, for models that embed. */
    embeddings: { ...createRemoteEmbeddings({ language, findPool, lease, tracing, clock }), residents },
    /** Returns why a model cannot be asked at present, in one public clause without addresses; null when it can, or was not tried yet. */
    findProblem: (model: Model): string | null => findPool(model).problem,
  };
}

/** Returns a model in memory with the state of its engine in place of a device. */
function shownResident(resident: ResidentModel, pool: RemotePool | undefined): ResidentModel {
  const { slots, summary: device } = pool ?? { slots: resident.slots, summary: resident.device };
  return { ...resident, isRemote: true, slots, device };
}

/** Creates the pools of all engines and models, and starts to check their servers. */
function createPools({ engines, clock, log }: RemoteEngineDeps): ReadonlyMap<string, RemotePool> {
  const pools = new Map<string, RemotePool>();
  for (const settings of engines)
    for (const modelName of settings.modelNames) {
      const pool = new RemotePool({ settings, modelName, clock, log });
      pool.start();
      pools.set(poolKey(settings.id, modelName), pool);
    }
  return pools;
}

function poolIn(pools: ReadonlyMap<string, RemotePool>, { manifest, remote }: Model): RemotePool {
  const pool = remote === undefined ? undefined : pools.get(poolKey(remote.engineId, remote.modelName));
  if (pool === undefined) throw new Error(`no engine is set for the model '${manifest.id}'`);
  return pool;
}

function poolKey(engineId: string, modelName: string): string {
  return JSON.stringify([engineId, modelName]);
}

/** Loads the vocabulary of a model. It asks no server: loads of models run one after the other, and none waits for a network. */
async function loadLanguage(
  { language }: RemoteEngineDeps,
  model: Model,
  pool: RemotePool,
): Promise<RemoteModelInfo> {
  const { manifest } = model;
  const contextTokens = Math.min(manifest.contextTokens, pool.contextTokens ?? manifest.contextTokens);
  const info = await language.load({ ...model, manifest: { ...manifest, contextTokens } });
  const tokens = await language.tokenize(model, sampleText);
  const sample = Array.from(tokens, ({ id }) => id);
  return { ...info, sample, slots: pool.slots, device: pool.settings.kind };
}

/** Holds a model in memory whose servers cut text as its vocabulary says. @throws HearthError where none does. */
async function leaseVerified(
  models: ResidentModels<RemoteModelInfo>,
  pool: RemotePool,
  ...[model, signal]: Parameters<ResidentModels<RemoteModelInfo>["lease"]>
): Promise<LeasedModel<RemoteModelInfo>> {
  const leased = await models.lease(model, signal);
  try {
    await pool.expect(leased.sample);
    return leased;
  } catch (thrown) {
    leased.release();
    throw thrown;
  }
}

interface Started {
  readonly model: Model;
  readonly job: SeededJob;
  readonly signal: AbortSignal;
  readonly channel: Channel<EngineEvent>;
}

/** Starts a job. @returns its events; the stream of an aborted job ends without `generation-end`. */
function openGeneration(
  pool: RemotePool,
  deps: RemoteEngineDeps,
  started: Omit<Started, "channel">,
): AsyncIterable<EngineEvent> {
  const channel = new Channel<EngineEvent>(waitingEventsMax, eventMerging);
  void generate(pool, deps, { ...started, channel });
  return channel;
}

/** Runs a job on one server after the other, until one has begun to answer. */
async function generate(pool: RemotePool, deps: RemoteEngineDeps, started: Started): Promise<void> {
  const { signal, channel } = started;
  const tried = new Set<Replica>();
  let failure: HearthError | null = null;
  for (;;) {
    try {
      await attempt(pool, deps, started, tried);
      return channel.end();
    } catch (thrown) {
      if (signal.aborted) return channel.end();
      const mayRetry = thrown instanceof NothingEmitted;
      // Where no other server is left, the first reason says more.
      failure ??= toHearthError(mayRetry ? thrown.cause : thrown);
      if (!mayRetry) return channel.fail(failure);
    }
  }
}

/** Thrown where another server may answer. */
class NothingEmitted extends Error {}

async function attempt(
  pool: RemotePool,
  { worker, tracing, clock }: RemoteEngineDeps,
  { model, job, signal, channel }: Started,
  tried: Set<Replica>,
): Promise<void> {
  const place = pool.enter(job, tried);
  const call = traceCall(tracing, "chat", place.target);
  let hasEmitted = false;
  let held: Uint32Array | null = null;
  let cachedTokens = 0;
  let end = (): void => undefined;
  let silence: SilenceWatch | null = null;
  try {
    end = await place.replica.alone.enter(job.deterministic, signal);
    const watch = new SilenceWatch({ clock, server: place.replica, signal });
    silence = watch;
    const onNews = (events: readonly EngineEvent[]): void => {
      watch.heard();
      if (events.length > 0) hasEmitted = true;
      for (const event of events) if (!channel.push(event)) channel.fail(notRead());
    };
    const target = { ...place.target, headers: call.headers };
    const request = { type: "generate-remote", key: loadKey(model), decode: job, target } as const;
    const report = await worker.call(request, { signal: watch.signal, onNews });
    if (watch.failure !== null) throw watch.failure;
    held = joined(job, report.answer);
    ({ cachedTokens } = report);
    call.end();
  } catch (failed) {
    const thrown = silence?.failure ?? failed;
    call.end(signal.aborted ? undefined : thrown);
    if (signal.aborted || !mayBeTriedElsewhere(thrown)) throw thrown;
    if (isUnreachable(thrown)) place.replica.fail(thrown);
    tried.add(place.replica);
    throw hasEmitted ? thrown : new NothingEmitted("", { cause: thrown });
  } finally {
    silence?.stop();
    end();
    place.leave(held, cachedTokens);
  }
}

function joined({ prompt }: DecodeJob, answer: Uint32Array): Uint32Array {
  const all = new Uint32Array(prompt.tokens.length + answer.length);
  all.set(prompt.tokens);
  all.set(answer, prompt.tokens.length);
  return all;
}
