import type { Graph, FloatTensor } from "./graph.js";

interface DenoiserSettings {
  readonly guidanceScale: number;
  /** See ImageModelConfig. */
  readonly guidanceEmbeddingSize: number | null;
}

/** The input of one denoising step. */
interface DenoiserInput {
  readonly sample: FloatTensor;
  readonly timestep: number;
  readonly texts: {
    readonly prompt: FloatTensor;
    /** Embedding of the empty text; null without classifier-free guidance. */
    readonly empty: FloatTensor | null;
  };
}

export type Denoiser = ReturnType<typeof createDenoiser>;

const output = "out_sample";

/**
 * Creates the denoiser with guidance. A model that was trained with guidance receives the scale as an input (Luo et al. 2023); any other
 * model uses classifier-free guidance: empty + scale * (prompt - empty) (Ho and Salimans 2022).
 */
export function createDenoiser(unet: Graph, { guidanceScale, guidanceEmbeddingSize }: DenoiserSettings) {
  const hasGuidanceInput = guidanceEmbeddingSize !== null && unet.shapeOf("timestep_cond") !== null;
  const condition = hasGuidanceInput ? guidanceEmbedding(guidanceScale - 1, guidanceEmbeddingSize) : [];
  const batch = unet.shapeOf("sample")?.[0];
  const run = async (sample: FloatTensor, timestep: number, text: FloatTensor): Promise<Float32Array> => {
    const feeds = { sample, timestep, encoder_hidden_states: text };
    return (await unet.run(hasGuidanceInput ? { ...feeds, timestep_cond: condition } : feeds, output)).data;
  };
  return {
    /** Whether each step runs twice, with the text and without. */
    usesClassifierFreeGuidance: !hasGuidanceInput && guidanceScale > 1,
    async predict({ sample, timestep, texts: { prompt, empty } }: DenoiserInput): Promise<Float32Array> {
      if (empty === null) return run(sample, timestep, prompt);
      const [unconditional, conditional] =
        batch === 1
          ? [await run(sample, timestep, empty), await run(sample, timestep, prompt)]
          : split(await run(stack(sample, sample), timestep, stack(empty, prompt)));
      return unconditional.map((value, place) => value + guidanceScale * ((conditional[place] ?? 0) - value));
    },
  };
}

/**
 * Returns the embedding of a guidance scale as sines and cosines: diffusers' `get_guidance_scale_embedding`, after Vaswani et al. 2017.
 * @param width size of the embedding; the last number is 0 when it is odd.
 */
export function guidanceEmbedding(scale: number, width: number): readonly number[] {
  const half = Math.floor(width / 2);
  const angles = Array.from(
    { length: half },
    (_, place) => scale * 1000 * Math.exp((-Math.log(10_000) * place) / Math.max(1, half - 1)),
  );
  return [...angles.map(Math.sin), ...angles.map(Math.cos), ...(width % 2 === 1 ? [0] : [])];
}

function stack(first: FloatTensor, second: FloatTensor): FloatTensor {
  const data = new Float32Array(first.data.length * 2);
  data.set(first.data);
  data.set(second.data, first.data.length);
  return { data, shape: [2, ...first.shape.slice(1)] };
}

function split(both: Float32Array): readonly [Float32Array, Float32Array] {
  return [both.subarray(0, both.length / 2), both.subarray(both.length / 2)];
}
