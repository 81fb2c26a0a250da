/**
 * Image generation: from an accepted request to its images. A run is charged for what it generated and is settled whether or not a
 * client waits; the client's signal aborts it. How an image is generated is the engine's responsibility (engine/images), and where it
 * is stored the store's (store.ts).
 */
import type {
  GeneratedImage,
  ImageEngine,
  ImageGenerationRequest,
  ImageSize,
} from "../../core/images/image-generation.js";
import type { Model } from "../../core/model.js";
import type { Ticks } from "../../core/money.js";
import type { Random } from "../../core/random.js";
import type { RunParameters } from "../../core/telemetry/tracing.js";
import { noUsage } from "../../core/usage.js";
import { textMessage, type RunContent } from "../content/messages.js";
import type { LiveRuns } from "../run/live-runs.js";
import { Run } from "../run/run.js";
import type { RunContext, RunServices } from "../run/run-context.js";
import type { RunEnd } from "../run/run-record.js";
import { timedLoads } from "../run/timed-loads.js";
import { usableModel } from "../usable-model.js";
import type { Write } from "../../store/writes.js";
import type { ImageStore } from "./store.js";
import type { StorageReservation } from "./stored-image.js";

/** What runs that generate images are built over. */
interface ImageServices extends RunServices {
  readonly imageEngine: ImageEngine;
  readonly images: ImageStore;
  /** The engine's `load`, measured. */
  readonly load: ImageEngine["load"];
}

/** One image of an answer. */
export interface NamedImage extends GeneratedImage {
  readonly seed: number;
  /** The name by which it can be fetched for an hour; null when it is not stored. */
  readonly name: string | null;
}

interface GeneratedImages {
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

/** Builds the generator. @param liveRuns runs of all kinds, which the generator's are added to */
export function createImageGenerator(liveRuns: LiveRuns, parts: Omit<ImageServices, "load">) {
  const load = timedLoads({ ...parts, engine: parts.imageEngine });
  const services: ImageServices = { ...parts, load };
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
      const model = liveRuns.admit(context, () => usableModel(services.models, request.model, "image"));
      const run = new ImageRun(services, model, request, context);
      await liveRuns.runToEnd(run, signal, () => run.generate());
      return run.result();
    },
  };
}

/** A run that generates images. */
class ImageRun extends Run {
  readonly operation = "generate_content";
  readonly parameters: RunParameters;
  readonly #services: ImageServices;
  readonly #request: ImageGenerationRequest;
  readonly #images: NamedImage[] = [];
  #storage: StorageReservation | null = null;
  #chargedTicks: Ticks = 0;

  constructor(services: ImageServices, model: Model, request: ImageGenerationRequest, context: RunContext) {
    super(services, model, request, context);
    this.#services = services;
    this.#request = request;
    this.parameters = { seed: request.seed, choices: request.images };
  }

  /** Does the work of the run. */
  async generate(): Promise<void> {
    try {
      await this.#generateAll();
    } catch (thrown) {
      // A client that gets an error gets none of the images.
      if (!this.signal.aborted) this.money.count(() => noUsage);
      throw thrown;
    }
  }

  isComplete(): boolean {
    return this.#images.length === this.#request.images;
  }

  protected content(): RunContent {
    const { prompt } = this.#request;
    return { input: [textMessage("user", prompt)], output: [] };
  }

  protected writes({ failure }: RunEnd): readonly Write[] {
    if (failure !== null || !this.isComplete()) return [];
    return this.#storage?.insertions(this.#services.clock.now() + retentionMs) ?? [];
  }

  protected override async ended({ failure, usage }: RunEnd): Promise<void> {
    this.#chargedTicks = usage.chargedTicks ?? 0;
    await this.#storage?.close(failure === null && this.isComplete());
  }

  /** The images of a run that has ended. @throws its failure, or the reason for which it was aborted. */
  result(): GeneratedImages {
    if (this.failure !== null) throw this.failure;
    if (!this.isComplete()) throw this.signal.reason;
    return { model: this.model, images: this.#images, costTicks: this.#chargedTicks };
  }

  async #generateAll(): Promise<void> {
    const { images, size: requestedSize, stored } = this.#request;
    const loaded = await this.load(this.#services.load(this.model, this.signal));
    const size = loaded.sizeFor(requestedSize);
    if (stored) this.#storage = await this.#services.images.reserve(this.id, countBytesMax(size) * images);
    await this.money.prepare({ promptTokens: 0, bound: { prompt: 0, sampled: 0, images } });
    await this.withSlot({ slots: 1 }, images * tokensPerImage, async (slot) => {
      // Nothing is generated that is not reserved.
      await this.money.record();
      const firstSeed = this.#request.seed ?? randomSeed(this.#services.random);
      for (let index = 0; index < images; index += 1) {
        this.#images.push(await this.#generateImage(size, (firstSeed + index) >>> 0));
        this.money.count(() => ({ ...noUsage, images: this.#images.length }));
        slot.tokensServed += tokensPerImage;
      }
    });
  }

  async #generateImage(size: ImageSize, seed: number): Promise<NamedImage> {
    const { imageEngine, metrics } = this.#services;
    const { prompt, format, quality } = this.#request;
    const onStep = (): void => metrics.imageStepFinished(this.model.manifest.id);
    const job = { prompt, seed, format, quality, ...size };
    const image = await imageEngine.generate(this.model, job, this.signal, onStep);
    const name = (await this.#storage?.add(image.bytes, format)) ?? null;
    return { ...image, seed, name };
  }
}

function randomSeed(random: Random): number {
  return new DataView(random.bytes(4).slice().buffer).getUint32(0);
}

function countBytesMax({ width, height }: ImageSize): number {
  return width * height * bytesPerPixelMax + headerBytesMax;
}
