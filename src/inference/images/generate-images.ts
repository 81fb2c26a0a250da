/**
 * Image generation: from an accepted request to its images. A run (execute.ts) is charged for what it generated and is settled
 * whether or not a client waits; the client's signal aborts it. How an image is generated is the engine's responsibility
 * (engine/images), and where it is stored the store's (store.ts).
 *
 * States of a run: loading -> queued -> generating -> settled; it can fail or be aborted in any of the first three.
 */
import type {
  GeneratedImage,
  ImageEngine,
  ImageGenerationRequest,
  ImageSize,
} from "../../core/images/image-generation.js";
import type { Model, ModelRegistry } from "../../core/model.js";
import type { Ticks } from "../../core/money.js";
import type { Random } from "../../core/random.js";
import type { RunParameters } from "../../core/telemetry/tracing.js";
import { noUsage } from "../../core/usage.js";
import { textMessage, type RunContent } from "../content/messages.js";
import { createRunExecutor, type RunWork } from "../run/execute.js";
import type { Execution } from "../run/execution.js";
import type { RunEnd } from "../run/recorder.js";
import { labelsText, withLabels } from "../run/labels.js";
import type { BillableRun, ExecutorDeps, RunContext } from "../run/run-deps.js";
import { timedLoads } from "../run/timed-loads.js";
import { usableModel } from "../usable-model.js";
import type { Write } from "../../store/writes.js";
import type { ImageStore } from "./store.js";
import type { StorageReservation } from "./stored-image.js";

export interface ImageGeneratorDeps extends ExecutorDeps {
  readonly models: ModelRegistry;
  readonly imageEngine: ImageEngine;
  readonly images: Pick<ImageStore, "reserve">;
  readonly random: Random;
}

/** One image of an answer. */
export interface NamedImage extends GeneratedImage {
  readonly seed: number;
  /** The name by which it can be fetched for an hour; null when it is not stored. */
  readonly name: string | null;
}

export interface GeneratedImages {
  readonly model: Model;
  readonly images: readonly NamedImage[];
  readonly costTicks: Ticks;
}

export type ImageGenerator = ReturnType<typeof createImageGenerator>;

/** How long an image can be fetched by its URL. */
const retentionMs = 60 * 60 * 1000;
/** What an image counts to the scheduler, which weighs teams by tokens. */
const tokensPerImage = 1000;
/** No format takes more for a pixel. */
const bytesPerPixelMax = 4;
/** No format takes more for its header. */
const headerBytesMax = 64 * 1024;

/** Builds the generator; no run is active yet. */
export function createImageGenerator(deps: ImageGeneratorDeps) {
  const executor = createRunExecutor(deps);
  const load = timedLoads({ ...deps, engine: deps.imageEngine });
  return {
    /**
     * Generates images and charges for them.
     * @throws HearthError `model_not_found`, `model_unavailable`, `overloaded`, `no_credits`, `invalid_value`.
     * @throws the signal's reason when it aborts; images that are finished by then are charged.
     */
    async generateImages(
      request: ImageGenerationRequest,
      context: RunContext,
      signal: AbortSignal,
    ): Promise<GeneratedImages> {
      const model = usableModel(deps.models, request.model, "image");
      executor.refuseWhenFull();
      const run = {
        id: deps.random.id(),
        model,
        requestedModel: request.model,
        context: withLabels(context, request, deps.withoutSecrets),
        labels: labelsText(request, deps.withoutSecrets),
      };
      const work = new ImageWork({ ...deps, load }, run, request);
      const active = executor.execute(run, work);
      const onAbort = (): void => active.abort(signal.reason);
      if (signal.aborted) onAbort();
      signal.addEventListener("abort", onAbort, { once: true });
      await active.finished;
      signal.removeEventListener("abort", onAbort);
      return work.result();
    },
    /** Aborts every run; resolves when the end of each is written, or was given up because it cannot be written. */
    close: (): Promise<void> => executor.close(),
  };
}

interface ImageWorkDeps extends ImageGeneratorDeps {
  readonly load: ReturnType<typeof timedLoads<Awaited<ReturnType<ImageEngine["load"]>>>>;
}

/** The work of a run that generates images. */
class ImageWork implements RunWork {
  readonly operation = "generate_content";
  readonly timings = { ttftMs: null, decodeTps: null };
  readonly parameters: RunParameters;
  readonly #deps: ImageWorkDeps;
  readonly #run: BillableRun;
  readonly #request: ImageGenerationRequest;
  readonly #images: NamedImage[] = [];
  #storage: StorageReservation | null = null;
  #ended: Execution | null = null;

  constructor(deps: ImageWorkDeps, run: BillableRun, request: ImageGenerationRequest) {
    this.#deps = deps;
    this.#run = run;
    this.#request = request;
    this.parameters = { seed: request.seed, choices: request.images };
  }

  async produce(execution: Execution): Promise<void> {
    try {
      await this.#generate(execution);
    } catch (thrown) {
      // A client that gets an error gets none of the images.
      if (!execution.signal.aborted) execution.count(() => noUsage);
      throw thrown;
    }
  }

  isComplete(): boolean {
    return this.#images.length === this.#request.images;
  }

  content(): RunContent {
    const { prompt } = this.#request;
    return { input: [textMessage("user", prompt)], output: [] };
  }

  writes({ failure }: RunEnd): readonly Write[] {
    if (failure !== null || !this.isComplete()) return [];
    return this.#storage?.insertions(this.#deps.clock.now() + retentionMs) ?? [];
  }

  async ended({ failure }: RunEnd, execution: Execution): Promise<void> {
    this.#ended = execution;
    await this.#storage?.close(failure === null && this.isComplete());
  }

  /** The images of a run that has ended. @throws its failure, or the reason for which it was aborted. */
  result(): GeneratedImages {
    if (this.#ended === null) throw new Error("the run has not ended");
    const { failure, signal, chargedTicks } = this.#ended;
    if (failure !== null) throw failure;
    if (!this.isComplete()) throw signal.reason;
    const { model } = this.#run;
    return { model, images: this.#images, costTicks: chargedTicks ?? 0 };
  }

  async #generate(execution: Execution): Promise<void> {
    const { images, size: requestedSize, stored } = this.#request;
    const loaded = await execution.load(this.#deps.load(this.#run.model, execution.signal));
    const size = loaded.sizeFor(requestedSize);
    if (stored) this.#storage = await this.#deps.images.reserve(this.#run.id, bytesMaxOf(size) * images);
    const bound = { prompt: 0, sampled: 0, images };
    const record = await execution.prepareRecord({ promptTokens: 0, bound });
    const tokensExpected = images * tokensPerImage;
    await execution.withSlot({ loaded: { slots: 1 }, tokensExpected }, async (slot) => {
      // Nothing is generated that is not reserved.
      await record();
      const firstSeed = this.#request.seed ?? randomSeed(this.#deps.random);
      for (let index = 0; index < images; index += 1) {
        this.#images.push(await this.#generateImage(execution, size, (firstSeed + index) >>> 0));
        execution.count(() => ({ ...noUsage, images: this.#images.length }));
        slot.tokensServed += tokensPerImage;
      }
    });
  }

  async #generateImage({ signal }: Execution, size: ImageSize, seed: number): Promise<NamedImage> {
    const { imageEngine, metrics } = this.#deps;
    const { model } = this.#run;
    const { prompt, format, quality } = this.#request;
    const onStep = (): void => metrics.imageStepFinished(model.manifest.id);
    const job = { prompt, seed, format, quality, ...size };
    const image = await imageEngine.generate(model, job, signal, onStep);
    const name = (await this.#storage?.add(image.bytes, format)) ?? null;
    return { ...image, seed, name };
  }
}

function randomSeed(random: Random): number {
  return new DataView(random.bytes(4).slice().buffer).getUint32(0);
}

function bytesMaxOf({ width, height }: ImageSize): number {
  return width * height * bytesPerPixelMax + headerBytesMax;
}
