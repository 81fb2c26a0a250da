/**
 * The engine that draws, over Diffusers' ONNX exports: which models are open is resident-models.ts's, how an image is painted
 * painter.ts's, in a thread of its own (easel.ts). Images are drawn one after the other, whatever model they are of: the runtime
 * takes all its threads for each.
 */
import { dirname } from "node:path";
import type { Clock } from "../../core/clock.js";
import type { DrawingEngine } from "../../core/image-generation.js";
import { HearthError } from "../../core/errors.js";
import type { Model } from "../../core/model.js";
import type { ModelMemory } from "../model-memory.js";
import { ResidentModels, type Native } from "../resident-models.js";
import { Easel, type Outcome } from "./pipeline.js";
import { encodeImage } from "./encode.js";
import { fittingSize, type Canvas } from "./size.js";

export interface ImagesEngineDeps {
  readonly clock: Clock;
  /** Compiled worker.js; a test that runs from the sources names the compiled one. */
  readonly workerUrl: URL;
  /** Threads of one run of the runtime. */
  readonly threads: number;
  /** Shared with the other engines. */
  readonly memory: ModelMemory;
  /** How long a model that nobody uses stays in memory. */
  readonly keepAliveMs: number;
  /** One public sentence when the files must not be loaded, else null. */
  readonly verify: (model: Model) => Promise<string | null>;
  readonly log: (message: string) => void;
}

interface NativePainter extends Native {
  readonly canvas: Canvas;
}

/** Buffers beside the weights: activations of the largest layer, several times over. */
const overheadShare = 0.35;
const overheadBytesMin = 64_000_000;

/** Builds the engine; no thread is started before the first model. */
export function createImagesEngine(deps: ImagesEngineDeps): DrawingEngine {
  const { workerUrl, log } = deps;
  const easel = new Easel({ workerUrl, log, onDeath: () => models.forget() });
  const models: ResidentModels<NativePainter> = new ResidentModels<NativePainter>({
    ...deps,
    estimate: ({ manifest }) =>
      Math.ceil(manifest.bytes + Math.max(overheadBytesMin, overheadShare * manifest.bytes)),
    check: deps.verify,
    load: (model) => open(easel, model, deps.threads),
    unload: async (model) => void (await easel.do({ type: "release", folder: folderOf(model) })),
  });
  return {
    async load(model) {
      const leased = await models.lease(model);
      return {
        sizeFor: (asked) => fittingSize(asked, leased.canvas),
        release: () => leased.release(),
      };
    },
    async draw(model, { format, quality, ...sketch }, signal, onStep) {
      const work = { type: "paint", folder: folderOf(model), sketch } as const;
      const outcome = await easel.do(work, { signal, onStep });
      if (outcome.type !== "painted") throw refusal(model, outcome, "it could not draw this.");
      const { width, height, promptRead } = outcome.painting;
      return { bytes: await encodeImage(outcome.painting, format, quality), width, height, promptRead };
    },
    residents: () => models.list(),
    async close() {
      await easel.close();
      models.forget();
    },
  };
}

async function open(easel: Easel, model: Model, threads: number): Promise<NativePainter> {
  const { drawing, contextTokens } = model.manifest;
  const options = { threads, drawing: drawing ?? null };
  const outcome = await easel.do({ type: "open", folder: folderOf(model), options });
  if (outcome.type !== "opened") throw refusal(model, outcome, "it could not be loaded.");
  return { canvas: outcome.canvas, contextTokens, slots: 1, device: "cpu" };
}

function folderOf(model: Model): string {
  return dirname(model.path);
}

/** What the runtime says may name paths: it is logged and not told. */
function refusal({ manifest }: Model, outcome: Outcome, otherwise: string): HearthError {
  const why = outcome.type === "failed" && outcome.isPublic ? outcome.message : otherwise;
  const cause = outcome.type === "failed" && !outcome.isPublic ? new Error(outcome.message) : undefined;
  return new HearthError("model_unavailable", `The model '${manifest.id}' cannot be used: ${why}`, {
    param: "model",
    ...(cause === undefined ? {} : { cause }),
  });
}
