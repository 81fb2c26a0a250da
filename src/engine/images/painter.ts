/**
 * A model that draws, opened: text encoder, denoiser and decoder, and the loop over them. It runs in the worker, blocks it, and
 * looks between any two runs of the runtime whether it is to stop. Which steps are taken is the scheduler's.
 */
import { join } from "node:path";
import type { ImageSize } from "../../core/image-generation.js";
import { createDenoiser, type Denoiser } from "./denoiser.js";
import { openGraph, type Graph, type GraphOptions, type Numbers } from "./graph.js";
import { readLayout, type Layout } from "./layout.js";
import { Noise } from "./noise.js";
import { toPixels } from "./pixels.js";
import type { Canvas } from "./size.js";

export interface Sketch extends ImageSize {
  readonly prompt: string;
  readonly seed: number;
}

export interface Painting extends ImageSize {
  /** Red, green and blue of every pixel, row by row. */
  readonly pixels: Uint8Array<ArrayBuffer>;
  readonly promptRead: string;
}

export interface Painter {
  readonly canvas: Canvas;
  /** @param between called between any two runs of the runtime; what it throws ends the work. @param onStep after each step. */
  paint(sketch: Sketch, between: () => void, onStep: () => void): Promise<Painting>;
  release(): Promise<void>;
}

export interface PainterOptions extends GraphOptions {
  /** Where the manifest says how the model draws; null: as models of its kind do. */
  readonly drawing: { readonly steps: number; readonly guidanceScale: number } | null;
}

/** What is on either side of the denoiser, with the layout that tells of them. */
interface Parts {
  readonly layout: Layout;
  readonly encoder: Graph;
  readonly unet: Graph;
  readonly decoder: Graph;
}

const encoderOutput = "last_hidden_state";
const decoderOutput = "sample";
/** Side of the latent images of the first models of this kind. */
const usualLatentSide = 64;

/** Opens a folder. @throws Unusable, or an Error of the runtime. */
export async function openPainter(folder: string, options: PainterOptions): Promise<Painter> {
  const layout = await readLayout(folder);
  const opened: Graph[] = [];
  try {
    for (const part of ["text_encoder", "unet", "vae_decoder"])
      opened.push(await openGraph(join(folder, part, "model.onnx"), options));
    const [encoder, unet, decoder] = opened;
    if (encoder === undefined || unet === undefined || decoder === undefined) throw new Error("not opened");
    return createPainter({ layout, encoder, unet, decoder }, options.drawing ?? layout.usual);
  } catch (thrown) {
    for (const graph of opened) await graph.release();
    throw thrown;
  }
}

function createPainter(parts: Parts, drawing: Layout["usual"]): Painter {
  const { layout, encoder, unet, decoder } = parts;
  const denoiser = createDenoiser(unet, { ...layout, ...drawing });
  const embed = createEmbedding(layout, encoder);
  return {
    canvas: canvasOf(layout, unet),
    async paint({ prompt, seed, width, height }, between, onStep) {
      const text = await embed(prompt);
      between();
      const nothing = denoiser.isGuidedByContrast ? (await embed("")).numbers : null;
      between();
      const shape = [1, layout.channels, height / layout.factor, width / layout.factor];
      const texts = { prompt: text.numbers, nothing };
      const latents = await denoise(denoiser, layout.scheduler(drawing.steps), {
        ...{ shape, texts, noise: new Noise(seed) },
        ...{ between, onStep },
      });
      const scaled = latents.map((value) => value / layout.scalingFactor);
      const image = await decoder.run({ latent_sample: { data: scaled, shape } }, decoderOutput);
      return { pixels: toPixels(image), width, height, promptRead: text.read };
    },
    async release() {
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
  schedule: ReturnType<Layout["scheduler"]>,
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

interface Embedded {
  readonly numbers: Numbers;
  readonly read: string;
}

/** What the denoiser is told of a text; that of no text is kept. */
function createEmbedding({ tokenize }: Layout, encoder: Graph): (text: string) => Promise<Embedded> {
  let ofNothing: Embedded | null = null;
  return async (text) => {
    if (text === "" && ofNothing !== null) return ofNothing;
    const { ids, read } = tokenize(text);
    const embedded = { numbers: await encoder.run({ input_ids: ids }, encoderOutput), read };
    if (text === "") ofNothing = embedded;
    return embedded;
  };
}

/** An export with fixed sides draws one size; any other as many as its layers can halve. */
function canvasOf({ factor, latentMultiple, latentSide }: Layout, unet: Graph): Canvas {
  const [, , height, width] = unet.shapeOf("sample") ?? [];
  const isFixed = typeof width === "number" && typeof height === "number";
  const side = latentSide ?? usualLatentSide;
  return {
    width: factor * (isFixed ? width : side),
    height: factor * (isFixed ? height : side),
    multiple: factor * latentMultiple,
    isFixed,
  };
}
