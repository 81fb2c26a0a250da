/**
 * The vision engine as the HTTP thread uses it: implements the vision port with a worker thread, which describes one image after the
 * other. The worker checks between two steps of a model whether the description is aborted, and is never terminated during a step.
 */
import { dirname } from "node:path";
import type { NativeModelInfo } from "../../core/engine.js";
import type { Clock } from "../../core/clock.js";
import { HearthError } from "../../core/errors.js";
import { loadKey, type Model } from "../../core/model.js";
import type { VisionEngine } from "../../core/images/vision.js";
import type { ModelMemory } from "../memory/model-memory.js";
import { ResidentModels } from "../memory/resident-models.js";
import { WorkerClient } from "../worker/client.js";
import type { VisionReplies, VisionRequest, VisionSettings } from "./protocol.js";

export interface VisionEngineDeps {
  readonly settings: VisionSettings;
  readonly clock: Clock;
  /** Shared with the other engines. */
  readonly memory: ModelMemory;
  /** How long an idle model stays in memory. */
  readonly keepAliveMs: number;
  /** Returns one public sentence when the weights do not match their manifest, else null. */
  readonly verify: (model: Model) => Promise<string | null>;
  /** Compiled worker.js; tests that run from the sources pass the compiled one, too. */
  readonly workerUrl: URL;
  readonly log: (level: "warn" | "error", message: string) => void;
}

/** Images that may wait. */
const waitingMax = 256;
/** Limit of the worker's JavaScript heap; the runtime's memory is not included. */
const memoryMbMax = 2048;
/** Weights stored as 16-bit floats are 32-bit floats in memory; the rest is the library. */
const bytesPerByte = 2;
const overheadBytes = 64_000_000;

type VisionWorker = WorkerClient<VisionRequest, VisionReplies>;

/** Creates the engine; the worker starts with the first image. */
export function createVisionEngine(deps: VisionEngineDeps): VisionEngine {
  const worker: VisionWorker = createWorker(deps, () => models.dropAll());
  const models: ResidentModels<NativeModelInfo> = new ResidentModels<NativeModelInfo>({
    ...deps,
    estimate: visionModelBytes,
    check: deps.verify,
    load: (model) => load(worker, model, deps.log),
    unload: (model) => worker.call({ type: "unload", key: loadKey(model) }),
  });
  return {
    async describe(model, image, options, signal) {
      const leased = await models.lease(model, signal);
      // The lease ends when the worker has ended the description, also after an abort.
      return worker
        .call({ type: "describe", key: loadKey(model), image, options }, { signal })
        .finally(() => leased.release());
    },
    residents: () => models.list(),
    async close() {
      const closed = worker.close();
      models.dropAll();
      await closed;
    },
  };
}

/** Returns the memory that a vision model takes, about. */
export function visionModelBytes({ manifest }: Model): number {
  return manifest.bytes * bytesPerByte + overheadBytes;
}

function createWorker(
  { clock, workerUrl, settings, log }: VisionEngineDeps,
  onExit: () => void,
): VisionWorker {
  return new WorkerClient({
    clock,
    name: "vision",
    workerUrl,
    workerData: settings,
    memoryMbMax,
    concurrencyMax: 1,
    waiting: {
      max: waitingMax,
      overloadedMessage: "Too many images are waiting to be described. Please try again later.",
    },
    onAbort: "stop",
    // To terminate the thread during a step of the runtime would end the whole process.
    closeMsMax: null,
    onExit,
    log,
  });
}

async function load(
  worker: VisionWorker,
  model: Model,
  log: VisionEngineDeps["log"],
): Promise<NativeModelInfo> {
  const { id, bytes } = model.manifest;
  try {
    return await worker.call({
      type: "load",
      model: { key: loadKey(model), bytes, folder: dirname(model.path) },
    });
  } catch (thrown) {
    if (thrown instanceof HearthError && thrown.kind === "overloaded") throw thrown;
    const cause = thrown instanceof HearthError ? thrown.cause : thrown;
    log("error", `the model '${id}' could not be loaded: ${String(cause)}`);
    const message = `The model '${id}' cannot be loaded: its files are not what its family needs.`;
    throw new HearthError("model_unavailable", message, { param: "model", cause: thrown });
  }
}
