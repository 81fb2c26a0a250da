import type { Graph, Numbers } from "./graph.js";

export interface DenoiserSettings {
  readonly guidanceScale: number;
  /** See Layout. */
  readonly guidanceNumbers: number | null;
}

/** What the denoiser looks at in one step. */
export interface Look {
  readonly sample: Numbers;
  readonly timestep: number;
  readonly texts: {
    readonly prompt: Numbers;
    /** Of no text; null where there is no contrast to it. */
    readonly nothing: Numbers | null;
  };
}

export interface Denoiser {
  /** Whether each step is looked at twice, with the text and without. */
  readonly isGuidedByContrast: boolean;
  predict(look: Look): Promise<Float32Array>;
}

const output = "out_sample";

/**
 * The denoiser, guided. A model that was trained with guidance is told how much (Luo et al. 2023); any other is led away from
 * what it says without the text: nothing + scale * (prompt - nothing) (Ho and Salimans 2022).
 */
export function createDenoiser(unet: Graph, { guidanceScale, guidanceNumbers }: DenoiserSettings): Denoiser {
  const isTold = guidanceNumbers !== null && unet.shapeOf("timestep_cond") !== null;
  const condition = isTold ? guidanceEmbedding(guidanceScale - 1, guidanceNumbers) : [];
  const batch = unet.shapeOf("sample")?.[0];
  const run = async (sample: Numbers, timestep: number, text: Numbers): Promise<Float32Array> => {
    const feeds = { sample, timestep, encoder_hidden_states: text };
    return (await unet.run(isTold ? { ...feeds, timestep_cond: condition } : feeds, output)).data;
  };
  return {
    isGuidedByContrast: !isTold && guidanceScale > 1,
    async predict({ sample, timestep, texts: { prompt, nothing } }) {
      if (nothing === null) return run(sample, timestep, prompt);
      const [without, told] =
        batch === 1
          ? [await run(sample, timestep, nothing), await run(sample, timestep, prompt)]
          : halves(await run(twice(sample, sample), timestep, twice(nothing, prompt)));
      return without.map((value, place) => value + guidanceScale * ((told[place] ?? 0) - value));
    },
  };
}

/**
 * A guidance scale as sines and cosines: diffusers' `get_guidance_scale_embedding`, after Vaswani et al. 2017.
 * @param width how many numbers; the last is 0 where it is odd.
 */
export function guidanceEmbedding(scale: number, width: number): readonly number[] {
  const half = Math.floor(width / 2);
  const angles = Array.from(
    { length: half },
    (_, place) => scale * 1000 * Math.exp((-Math.log(10_000) * place) / Math.max(1, half - 1)),
  );
  return [...angles.map(Math.sin), ...angles.map(Math.cos), ...(width % 2 === 1 ? [0] : [])];
}

function twice(first: Numbers, second: Numbers): Numbers {
  const data = new Float32Array(first.data.length * 2);
  data.set(first.data);
  data.set(second.data, first.data.length);
  return { data, shape: [2, ...first.shape.slice(1)] };
}

function halves(both: Float32Array): readonly [Float32Array, Float32Array] {
  return [both.subarray(0, both.length / 2), both.subarray(both.length / 2)];
}
