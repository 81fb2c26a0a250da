/**
 * Models that see, from the HTTP thread: an implementation of the vision port that owns one worker thread and nothing else. The
 * worker starts with the first picture. It is told to stop by a flag that it looks at between two steps of a model, and it is
 * never ended while a step is under way.
 */
import { dirname } from "node:path";
import { Worker } from "node:worker_threads";
import type { Clock } from "../../core/clock.js";
import { HearthError } from "../../core/errors.js";
import type { VisionEngine } from "../../core/vision.js";
import type { Model } from "../../core/model.js";
import type { ModelMemory } from "../model-memory.js";
import { ResidentModels, type Native } from "../resident-models.js";
import type { FromWorker, Replies, ToWorker, VisionSettings } from "./protocol.js";

export interface VisionEngineDeps {
  readonly settings: VisionSettings;
  readonly clock: Clock;
  /** Shared with the other engines. */
  readonly memory: ModelMemory;
  /** How long an idle model stays in memory. */
  readonly keepAliveMs: number;
  /** One public sentence when the weights are not what their manifest says, else null. */
  readonly verify: (model: Model) => Promise<string | null>;
  /** Compiled worker.js; a test that runs from the sources names the compiled one. */
  readonly workerUrl: URL;
  readonly log: (level: "warn" | "error", message: string) => void;
}

/** Pictures that may wait. */
const lineMax = 256;
/** Of the worker's own objects; what the runtime takes comes on top. */
const memoryMbMax = 2048;
/** Weights kept as 16-bit numbers are 32-bit ones in memory; the rest is the library. */
const bytesPerByte = 2;
const overheadBytes = 64_000_000;

/** Builds the engine; nothing is started before the first picture. */
export function createVisionEngine(deps: VisionEngineDeps): VisionEngine {
  let remote: Remote | null = null;
  let isClosed = false;
  const stops = new Set<Stop>();
  const worker = (): Remote => {
    if (isClosed) throw closing();
    return (remote ??= connect(deps, () => {
      remote = null;
      models.forget();
    }));
  };
  const models: ResidentModels<Native> = new ResidentModels<Native>({
    ...deps,
    estimate: ({ manifest }) => manifest.bytes * bytesPerByte + overheadBytes,
    check: deps.verify,
    load: (model) => load(worker(), model, deps.log),
    unload: ({ manifest }) =>
      worker()
        .call({ type: "unload", id: manifest.id })
        .then(() => undefined),
  });
  return {
    describe: (model, picture, look, signal) =>
      stoppable(stops, signal, async (stop) => {
        const leased = await models.lease(model);
        const { id } = model.manifest;
        // The model is free when the worker says so, not when whoever asked has left.
        const described = await worker()
          .call({ type: "describe", id, picture, look, stop: stop.buffer })
          .finally(() => leased.release());
        signal.throwIfAborted();
        if (described === null) throw closing();
        return described;
      }),
    residents: () => models.list(),
    async close() {
      isClosed = true;
      for (const stop of stops) Atomics.store(stop, 0, 1);
      models.forget();
      await remote?.close();
    },
  };
}

type Stop = Int32Array<SharedArrayBuffer>;

/** Work that a flag stops: when its signal aborts, or when whoever has all flags sets it. */
async function stoppable<T>(
  stops: Set<Stop>,
  signal: AbortSignal,
  work: (stop: Stop) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  if (stops.size >= lineMax) throw tooMany();
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const onAbort = (): void => void Atomics.store(stop, 0, 1);
  stops.add(stop);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await work(stop);
  } finally {
    signal.removeEventListener("abort", onAbort);
    stops.delete(stop);
  }
}

async function load(remote: Remote, model: Model, log: VisionEngineDeps["log"]): Promise<Native> {
  const { id, bytes } = model.manifest;
  try {
    return await remote.call({ type: "load", model: { id, bytes, folder: dirname(model.path) } });
  } catch (thrown) {
    const cause = thrown instanceof HearthError ? thrown.cause : thrown;
    log("error", `the model '${id}' could not be loaded: ${String(cause)}`);
    const message = `The model '${id}' cannot be loaded: its files are not what its family needs.`;
    throw new HearthError("model_unavailable", message, { param: "model", cause: thrown });
  }
}

type Asked = ToWorker extends infer T ? (T extends ToWorker ? Omit<T, "call"> : never) : never;
type Reply = Replies[keyof Replies];

interface Remote {
  /** @throws HearthError `internal` with what the worker said as its cause. */
  call<A extends Asked>(asked: A): Promise<Replies[A["type"]]>;
  close(): Promise<void>;
}

interface Pending {
  readonly resolve: (value: Reply) => void;
  readonly reject: (error: HearthError) => void;
}

function connect({ workerUrl, settings, log }: VisionEngineDeps, onExit: () => void): Remote {
  const worker = new Worker(workerUrl, {
    workerData: settings,
    resourceLimits: { maxOldGenerationSizeMb: memoryMbMax },
  });
  const calls = new Map<number, Pending>();
  let lastId = 0;
  worker.on("message", (message: FromWorker) => {
    const pending = calls.get(message.call);
    calls.delete(message.call);
    if (message.type === "done") pending?.resolve(message.value);
    else pending?.reject(failed(new Error(message.cause)));
  });
  worker.on("error", (error) => log("error", `vision worker: ${error.message}`));
  worker.on("exit", (code) => {
    for (const pending of calls.values())
      pending.reject(failed(new Error(`worker exited with code ${code}`)));
    calls.clear();
    onExit();
  });
  const call = <A extends Asked>(asked: A): Promise<Replies[A["type"]]> =>
    new Promise((resolve, reject) => {
      const id = ++lastId;
      calls.set(id, { resolve: resolve as (value: Reply) => void, reject });
      worker.postMessage({ ...asked, call: id });
    });
  return {
    call,
    async close() {
      // In line behind whatever is under way: when it is answered, no step is.
      await call({ type: "close" }).catch(() => undefined);
      await worker.terminate();
    },
  };
}

function failed(cause: Error): HearthError {
  return new HearthError("internal", "An internal error occurred.", { cause });
}

function tooMany(): HearthError {
  const message = "Too many images are waiting to be described. Please try again later.";
  return new HearthError("overloaded", message, { retryAfterSeconds: 1 });
}

function closing(): HearthError {
  return new HearthError("overloaded", "The server is shutting down. Please try again later.", {
    retryAfterSeconds: 1,
  });
}
