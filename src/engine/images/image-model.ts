/**
 * An open image model: text encoder, denoiser and decoder, and the loop over them. Runs in the worker thread, blocks it, and calls back
 * between any two runs of the runtime, so that it can be stopped. The scheduler decides the steps.
 */
import { join } from "node:path";
import type { GeneratedImage, ImageSize } from "../../core/images/image-generation.js";
import type { ClipText } from "./clip/tokenizer.js";
import { createDenoiser, type Denoiser } from "./denoiser.js";
import { openGraph, type Graph, type GraphOptions, type FloatTensor } from "./graph.js";
import { readImageModelConfig, type ImageModelConfig } from "./model-config.js";
import { Noise } from "./noise.js";
import type { SupportedSizes } from "./size.js";

export interface ImageJob extends ImageSize {
  readonly prompt: string;
  readonly seed: number;
}

export interface RawImage extends Omit<GeneratedImage, "bytes"> {
  /** Red, green and blue of every pixel, row by row. */
  readonly pixels: Uint8Array<ArrayBuffer>;
}

export type OpenedImageModel = ReturnType<typeof createImageModel>;

export interface ImageModelOptions extends GraphOptions {
  /** Settings of the manifest; null: the defaults for models of this kind. */
  readonly drawing: { readonly steps: number; readonly guidanceScale: number } | null;
}

/** The configuration and the graphs of a model. */
interface Parts {
  readonly config: ImageModelConfig;
  readonly encoder: Graph;
  readonly unet: Graph;
  readonly decoder: Graph;
}

const encoderOutput = "last_hidden_state";
const decoderOutput = "sample";
/** Side of the latent images of Stable Diffusion 1. */
const defaultLatentSide = 64;

/** Opens the model in a folder. @throws Unusable, or an Error of the runtime. */
export async function openImageModel(folder: string, options: ImageModelOptions): Promise<OpenedImageModel> {
  const config = await readImageModelConfig(folder);
  const opened: Graph[] = [];
  try {
    for (const part of ["text_encoder", "unet", "vae_decoder"])
      opened.push(await openGraph(join(folder, part, "model.onnx"), options));
    const [encoder, unet, decoder] = opened;
    if (encoder === undefined || unet === undefined || decoder === undefined)
      throw new Error("a graph is missing");
    return createImageModel({ config, encoder, unet, decoder }, options.drawing ?? config.defaults);
  } catch (thrown) {
    for (const graph of opened) await graph.release();
    throw thrown;
  }
}

function createImageModel(parts: Parts, drawing: ImageModelConfig["defaults"]) {
  const { config, encoder, unet, decoder } = parts;
  const denoiser = createDenoiser(unet, { ...config, ...drawing });
  const embed = createEmbedding(config, encoder);
  return {
    sizes: listSupportedSizes(config, unet),
    /**
     * Generates one image.
     * @param between called between any two runs of the runtime; an error that it throws ends the job.
     * @param onStep called after each step.
     */
    async generate(
      { prompt, seed, width, height }: ImageJob,
      between: () => void,
      onStep: () => void,
    ): Promise<RawImage> {
      const text = await embed(prompt);
      between();
      const empty = denoiser.usesClassifierFreeGuidance ? (await embed("")).tensor : null;
      between();
      const latent = { height: height / config.factor, width: width / config.factor };
      const shape = [1, config.channels, latent.height, latent.width];
      const texts = { prompt: text.tensor, empty };
      const latents = await denoise(denoiser, config.scheduler(drawing.steps), {
        shape,
        texts,
        noise: new Noise(seed),
        between,
        onStep,
      });
      const scaled = latents.map((value) => value / config.scalingFactor);
      const image = await decoder.run({ latent_sample: { data: scaled, shape } }, decoderOutput);
      return {
        pixels: toPixels(image),
        width,
        height,
        promptRead: text.read,
        promptTokens: text.tokens,
        imageTokens: latent.height * latent.width,
      };
    },
    async release(): Promise<void> {
      for (const graph of [encoder, unet, decoder]) await graph.release();
    },
  };
}

interface Denoising {
  readonly shape: readonly number[];
  readonly texts: Parameters<Denoiser["predict"]>[0]["texts"];
  readonly noise: Noise;
  readonly between: () => void;
  readonly onStep: () => void;
}

async function denoise(
  denoiser: Denoiser,
  schedule: ReturnType<ImageModelConfig["scheduler"]>,
  { shape, texts, noise, between, onStep }: Denoising,
): Promise<Float32Array> {
  const count = shape.reduce((product, side) => product * side, 1);
  let sample: Float32Array = noise.gaussians(count).map((value) => value * schedule.initialScale);
  for (const [index, timestep] of schedule.timesteps.entries()) {
    const input = { data: schedule.input(sample, index), shape };
    const output = await denoiser.predict({ sample: input, timestep, texts });
    sample = schedule.step(output, sample, index, noise);
    onStep();
    between();
  }
  return sample;
}

interface Embedded extends Omit<ClipText, "ids"> {
  readonly tensor: FloatTensor;
}

/** Creates the function that embeds a text; the embedding of the empty text is cached. */
function createEmbedding(
  { tokenize }: ImageModelConfig,
  encoder: Graph,
): (text: string) => Promise<Embedded> {
  let ofEmptyText: Embedded | null = null;
  return async (text) => {
    if (text === "" && ofEmptyText !== null) return ofEmptyText;
    const { ids, read, tokens } = tokenize(text);
    const embedded = { tensor: await encoder.run({ input_ids: ids }, encoderOutput), read, tokens };
    if (text === "") ofEmptyText = embedded;
    return embedded;
  };
}

/** Returns the sizes of an export: one size if its sides are fixed, else all multiples that its layers can halve. */
function listSupportedSizes(
  { factor, latentMultiple, latentSide }: ImageModelConfig,
  unet: Graph,
): SupportedSizes {
  const [, , height, width] = unet.shapeOf("sample") ?? [];
  const isFixed = typeof width === "number" && typeof height === "number";
  const side = latentSide ?? defaultLatentSide;
  return {
    width: factor * (isFixed ? width : side),
    height: factor * (isFixed ? height : side),
    multiple: factor * latentMultiple,
    isFixed,
  };
}

/** Converts the decoder's output, [1, 3, height, width] from -1 to 1, to bytes: red, green and blue of every pixel, row by row. */
function toPixels({ data, shape }: FloatTensor): Uint8Array<ArrayBuffer> {
  const [, channels = 3, height = 0, width = 0] = shape;
  const area = height * width;
  if (channels !== 3 || data.length !== 3 * area) throw new Error("the decoder's output is not an image");
  const pixels = new Uint8Array(3 * area);
  for (let place = 0; place < area; place += 1)
    for (let channel = 0; channel < 3; channel += 1)
      pixels[place * 3 + channel] = toByte(data[channel * area + place] ?? 0);
  return pixels;
}

/** Converts one value; NaN becomes 0. */
function toByte(value: number): number {
  return Math.max(0, Math.min(255, Math.round((value / 2 + 0.5) * 255))) || 0;
}
