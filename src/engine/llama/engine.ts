/**
 * The llama engine, seen from the HTTP thread: an implementation of the engine port that owns one worker thread and nothing
 * else. All models, contexts, tokenising and templates live in the worker (worker.ts), so that neither prefill nor a long
 * text ever blocks a request that only wants to be answered. The worker starts with the first model asked for.
 */
import { Worker } from "node:worker_threads";
import { Channel } from "../../core/channel.js";
import type { Clock } from "../../core/clock.js";
import type { Conversation, DecodeJob, Engine, Prompt } from "../../core/engine.js";
import { HearthError } from "../../core/errors.js";
import { mergingEvents, type GenerationEvent } from "../../core/generation.js";
import type { Model } from "../../core/model.js";
import type { Random } from "../../core/random.js";
import type { ModelMemory } from "../model-memory.js";
import { ResidentModels } from "../resident-models.js";
import { unpackTokens, type PackedTokens } from "../packed-tokens.js";
import type {
  Call,
  FromWorker,
  JobNews,
  LlamaSettings,
  NativeModel,
  ToWorker,
  WireError,
} from "./protocol.js";
import { memoryEstimate } from "./load/memory-need.js";

/** Events of one job that may wait in this thread; deltas merge. */
const channelCapacity = 64;

export interface LlamaEngineDeps {
  readonly settings: LlamaSettings;
  readonly random: Random;
  readonly clock: Clock;
  /** Shared with the other engines. */
  readonly memory: ModelMemory;
  /** How long an idle model stays in memory. */
  readonly keepAliveMs: number;
  /** One public sentence when the weights are not what their manifest says, else null. */
  readonly verify: (model: Model) => Promise<string | null>;
  /** One public sentence when a first load, tried in a process of its own, goes wrong, else null. */
  readonly smoke: (model: Model) => Promise<string | null>;
  /** Compiled worker.js; a test that runs from the sources names the compiled one. */
  readonly workerUrl: URL;
  readonly log: (level: "warn" | "error", message: string) => void;
}

/** Builds the engine; nothing is started before the first load. */
export function createLlamaEngine(deps: LlamaEngineDeps): Engine {
  let remote: Remote | null = null;
  let isClosed = false;
  const worker = (): Remote => {
    // A model may still be on its way: a worker begun now would outlive the server, and keep the process from its end.
    if (isClosed) throw new HearthError("overloaded", "The server is shutting down. Please try again later.");
    return (remote ??= connect(deps, () => {
      remote = null;
      models.forget();
    }));
  };
  const models: ResidentModels<NativeModel> = new ResidentModels<NativeModel>({
    ...deps,
    estimate: (model) => memoryEstimate(model, deps.settings),
    check: async (model) => (await deps.verify(model)) ?? (await deps.smoke(model)),
    load: (model) => worker().call<NativeModel>((call) => ({ type: "load", call, model })),
    unload: (model) => worker().call<void>((call) => ({ type: "unload", call, model })),
  });
  return {
    load: (model) => models.lease(model),
    prompt: (model, asked) => {
      const source = "prompt" in asked ? asked : conversationOf(asked);
      return worker().call<Prompt>((call) => ({ type: "prompt", call, id: model.manifest.id, source }));
    },
    tokenize: async (model, text) => {
      const { id } = model.manifest;
      return unpackTokens(
        await worker().call<PackedTokens>((call) => ({ type: "tokenize", call, id, text })),
      );
    },
    generate: (model, job, signal) => worker().generate(model, job, signal),
    residents: () => models.list(),
    async close() {
      isClosed = true;
      models.forget();
      await remote?.close();
    },
  };
}

/** What is said to a model may come with more than its conversation, which has no need to cross to the worker. */
function conversationOf({ messages, tools, reasoningEffort, prefill }: Conversation): Conversation {
  return { messages, tools, reasoningEffort, ...(prefill === undefined ? {} : { prefill }) };
}

interface Remote {
  call<T>(message: (call: number) => Call): Promise<T>;
  generate(model: Model, job: DecodeJob, signal: AbortSignal): AsyncIterable<GenerationEvent>;
  close(): Promise<void>;
}

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: HearthError) => void;
}

interface Job {
  readonly channel: Channel<GenerationEvent>;
  readonly finished: () => void;
}

function connect(deps: LlamaEngineDeps, onExit: () => void): Remote {
  const worker = new Worker(deps.workerUrl, { workerData: deps.settings });
  const calls = new Map<number, Pending>();
  const jobs = new Map<number, Job>();
  let lastId = 0;
  const send = (message: ToWorker): void => worker.postMessage(message);

  function failAll(cause: unknown): void {
    const error = new HearthError("internal", "The engine stopped unexpectedly.", { cause });
    for (const pending of calls.values()) pending.reject(error);
    for (const { channel } of jobs.values()) channel.fail(error);
    calls.clear();
    jobs.clear();
    onExit();
  }
  worker.on("message", (message: FromWorker) => receive(message, calls, jobs, deps.log));
  worker.on("error", (error) => deps.log("error", `engine worker: ${error.message}`));
  worker.on("exit", (code) => failAll(new Error(`engine worker exited with code ${code}`)));

  function call<T>(message: (call: number) => Call): Promise<T> {
    const id = ++lastId;
    return new Promise<T>((resolve, reject) => {
      calls.set(id, { resolve: resolve as (value: unknown) => void, reject });
      send(message(id));
    });
  }
  return {
    call,
    generate(model, decode, signal) {
      const job = ++lastId;
      const channel = new Channel<GenerationEvent>(channelCapacity, mergingEvents);
      const onAbort = (): void => send({ type: "cancel", job });
      jobs.set(job, { channel, finished: () => signal.removeEventListener("abort", onAbort) });
      const seed = decode.sampling.seed ?? seedFrom(deps.random.bytes(4));
      send({ type: "generate", job, id: model.manifest.id, decode: { ...decode, seed } });
      if (signal.aborted) onAbort();
      else signal.addEventListener("abort", onAbort, { once: true });
      return channel;
    },
    async close() {
      await call((id) => ({ type: "close", call: id })).catch(() => undefined);
      await worker.terminate();
    },
  };
}

function receive(
  message: FromWorker,
  calls: Map<number, Pending>,
  jobs: Map<number, Job>,
  log: LlamaEngineDeps["log"],
): void {
  if (message.type === "news") return message.news.forEach((news) => deliver(news, jobs));
  if (message.type === "log") return log(message.level, message.message);
  const pending = calls.get(message.call);
  calls.delete(message.call);
  if (message.type === "failed") return pending?.reject(revive(message.error));
  if (message.type === "loaded") return pending?.resolve(message.loaded);
  if (message.type === "prompted") return pending?.resolve(message.prompt);
  if (message.type === "tokenized") return pending?.resolve(message.tokens);
  pending?.resolve(undefined);
}

function deliver(news: JobNews, jobs: Map<number, Job>): void {
  const job = jobs.get(news.job);
  if (job === undefined) return;
  const { channel, finished } = job;
  for (const event of news.events) channel.push(event);
  if (news.error !== null) channel.fail(revive(news.error));
  if (!news.done) return;
  channel.end();
  finished();
  jobs.delete(news.job);
}

function revive(error: WireError): HearthError {
  return new HearthError(error.kind, error.message, {
    ...(error.param === null ? {} : { param: error.param }),
    ...(error.code === null ? {} : { code: error.code }),
    ...(error.cause === null ? {} : { cause: new Error(error.cause) }),
  });
}

function seedFrom(bytes: Uint8Array): number {
  return new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0);
}
