/**
 * Writes small image models with random weights in published layouts: the real names, types, ranks and configurations, with graphs of a
 * few nodes. Their images are smooth noise that depends on the text.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { toHalves } from "../../../src/engine/images/float16.js";
import { Noise } from "../../../src/engine/images/noise.js";
import { inspectDiffusers } from "../../../src/models/diffusers.js";
import { elements, writeOnnx, type Constant, type ElementType, type OnnxGraph } from "./onnx-writer.js";

export interface PublishedModel {
  readonly pipeline: string;
  /** scheduler_config.json. */
  readonly scheduler: Readonly<Record<string, unknown>>;
  readonly float: "float32" | "float16";
  readonly ids: "int32" | "int64";
  readonly timestep: { readonly type: ElementType; readonly shape: readonly (number | string)[] };
  /** Size of `timestep_cond`; 0: the model has none. */
  readonly guidanceEmbeddingSize: number;
  readonly padToken: string;
  /** Whether the denoiser's weights lie in model.onnx_data. */
  readonly external: boolean;
  /** Side of the latent images. */
  readonly side: number;
  readonly isFixed: boolean;
}

const scaledLinear = { beta_start: 0.00085, beta_end: 0.012, beta_schedule: "scaled_linear" } as const;

/** The layouts of published repositories. */
export const publishedModels = {
  /** stable-diffusion-v1-5, in an export with 32-bit ids and timesteps as lists of one. */
  sd15: {
    pipeline: "OnnxStableDiffusionPipeline",
    scheduler: {
      _class_name: "PNDMScheduler",
      ...scaledLinear,
      num_train_timesteps: 1000,
      steps_offset: 1,
      set_alpha_to_one: false,
      skip_prk_steps: true,
      trained_betas: null,
      clip_sample: false,
    },
    float: "float32",
    ids: "int32",
    timestep: { type: "int64", shape: [1] },
    guidanceEmbeddingSize: 0,
    padToken: "<|endoftext|>",
    external: false,
    side: 8,
    isFixed: false,
  },
  /** SimianLuo/LCM_Dreamshaper_v7: guidance embedding, external data. */
  lcm: {
    pipeline: "LatentConsistencyModelPipeline",
    scheduler: {
      _class_name: "LCMScheduler",
      ...scaledLinear,
      num_train_timesteps: 1000,
      clip_sample: false,
      original_inference_steps: 50,
      prediction_type: "epsilon",
      set_alpha_to_one: true,
      steps_offset: 0,
      timestep_spacing: "leading",
      rescale_betas_zero_snr: false,
      thresholding: false,
    },
    float: "float32",
    ids: "int64",
    timestep: { type: "int64", shape: [] },
    guidanceEmbeddingSize: 256,
    padToken: "<|endoftext|>",
    external: true,
    side: 8,
    isFixed: false,
  },
  /** sd-turbo, exported in half precision; pads with an exclamation mark. */
  turbo: {
    pipeline: "StableDiffusionPipeline",
    scheduler: {
      _class_name: "EulerDiscreteScheduler",
      ...scaledLinear,
      num_train_timesteps: 1000,
      steps_offset: 1,
      prediction_type: "epsilon",
      timestep_spacing: "trailing",
      interpolation_type: "linear",
      use_karras_sigmas: false,
      set_alpha_to_one: false,
      clip_sample: false,
      sample_max_value: 1,
    },
    float: "float16",
    ids: "int64",
    timestep: { type: "float32", shape: ["steps"] },
    guidanceEmbeddingSize: 0,
    padToken: "!",
    external: false,
    side: 8,
    isFixed: true,
  },
} as const satisfies Readonly<Record<string, PublishedModel>>;

const textWidth = 8;
const channels = 4;
const letters = [..."abcdefghijklmnopqrstuvwxyz!"];

/** Writes a model's folder. @returns the folder. */
export function writeImageModel(folder: string, layout: PublishedModel): string {
  const noise = new Noise(7);
  const constant = (shape: readonly number[], scale: number): Constant => {
    const count = shape.reduce((product, size) => product * size, 1);
    return numbers(
      layout.float,
      shape,
      [...noise.gaussians(count)].map((value) => value * scale),
    );
  };
  const tokens = [...letters, ...letters.map((letter) => `${letter}</w>`), "re", "red</w>"];
  const vocabulary = [...tokens, "<|startoftext|>", "<|endoftext|>"];
  const vocab = Object.fromEntries(vocabulary.map((token, id) => [token, id]));
  writeJson(folder, "model_index.json", { _class_name: layout.pipeline, _diffusers_version: "0.22.0" });
  writeJson(folder, "scheduler/scheduler_config.json", layout.scheduler);
  writeJson(folder, "tokenizer/vocab.json", vocab);
  writeText(folder, "tokenizer/merges.txt", "#version: 0.2\nr e\nre d</w>\n");
  writeJson(folder, "tokenizer/tokenizer_config.json", { model_max_length: 77 });
  writeJson(folder, "tokenizer/special_tokens_map.json", { pad_token: layout.padToken });
  writeJson(folder, "unet/config.json", {
    in_channels: channels,
    sample_size: layout.side,
    down_block_types: ["a", "b"],
    time_cond_proj_dim: layout.guidanceEmbeddingSize === 0 ? null : layout.guidanceEmbeddingSize,
  });
  writeJson(folder, "vae_decoder/config.json", { block_out_channels: [1, 2, 3, 4], scaling_factor: 0.18215 });
  const graphs = {
    text_encoder: encoderOf(layout, constant([vocabulary.length, textWidth], 1)),
    unet: unetOf(layout, constant([channels, channels, 3, 3], 0.15)),
    vae_decoder: decoderOf(layout, constant([3, channels, 1, 1], 0.004)),
  };
  for (const [part, graph] of Object.entries(graphs)) {
    mkdirSync(join(folder, part), { recursive: true });
    writeOnnx(join(folder, part, "model.onnx"), graph);
  }
  if (layout.external) {
    const { type, values } = graphs.unet.constants["weights"] ?? { type: "float32", values: [] };
    writeFileSync(join(folder, "unet/model.onnx_data"), elements(type, values));
  }
  return folder;
}

function encoderOf({ float, ids }: PublishedModel, table: Constant): OnnxGraph {
  return {
    inputs: [{ name: "input_ids", type: ids, shape: ["batch_size", "sequence_length"] }],
    outputs: [
      { name: "last_hidden_state", type: float, shape: ["batch_size", "sequence_length", textWidth] },
    ],
    constants: { table },
    nodes: [{ op: "Gather", inputs: ["table", "input_ids"], outputs: ["last_hidden_state"] }],
  };
}

/** A convolution plus the means of the text and of the guidance, and the timestep. */
function unetOf(layout: PublishedModel, weights: Constant): OnnxGraph {
  const { float, timestep, guidanceEmbeddingSize: guidanceNumbers, external, side, isFixed } = layout;
  const sides = isFixed ? [side, side] : ["height", "width"];
  const guided = guidanceNumbers > 0;
  const add = (left: string, right: string, sum: string) => ({
    op: "Add",
    inputs: [left, right],
    outputs: [sum],
  });
  const mean = (input: string, axes: readonly number[], output: string) => [
    { op: "ReduceMean", inputs: [input], outputs: [`${input}.mean`], attributes: { axes, keepdims: 0 } },
    { op: "Reshape", inputs: [`${input}.mean`, "column"], outputs: [output] },
  ];
  return {
    inputs: [
      { name: "sample", type: float, shape: ["batch_size", channels, ...sides] },
      { name: "timestep", ...timestep },
      { name: "encoder_hidden_states", type: float, shape: ["batch_size", "sequence_length", textWidth] },
      ...(guided ? [{ name: "timestep_cond", type: float, shape: ["batch_size", guidanceNumbers] }] : []),
    ],
    outputs: [{ name: "out_sample", type: float, shape: ["batch_size", channels, ...sides] }],
    constants: {
      weights: external ? { ...weights, external: { file: "model.onnx_data", offset: 0 } } : weights,
      column: { type: "int64", shape: [4], values: [-1, 1, 1, 1] },
      thousand: numbers(float, [], [1000]),
    },
    nodes: [
      {
        op: "Conv",
        inputs: ["sample", "weights"],
        outputs: ["convolved"],
        attributes: { pads: [1, 1, 1, 1] },
      },
      ...mean("encoder_hidden_states", [1, 2], "text"),
      {
        op: "Cast",
        inputs: ["timestep"],
        outputs: ["time"],
        attributes: { to: float === "float16" ? 10 : 1 },
      },
      { op: "Div", inputs: ["time", "thousand"], outputs: ["share"] },
      { op: "Reshape", inputs: ["share", "column"], outputs: ["when"] },
      add("convolved", "text", "told"),
      add("told", "when", guided ? "timed" : "out_sample"),
      ...(guided ? [...mean("timestep_cond", [1], "guidance"), add("timed", "guidance", "out_sample")] : []),
    ],
  };
}

/** Mixes four channels to three, and scales each latent to a square of eight pixels. */
function decoderOf({ float }: PublishedModel, weights: Constant): OnnxGraph {
  return {
    inputs: [{ name: "latent_sample", type: float, shape: ["batch_size", channels, "height", "width"] }],
    outputs: [{ name: "sample", type: float, shape: ["batch_size", 3, "height8", "width8"] }],
    constants: { weights, scales: { type: "float32", shape: [4], values: [1, 1, 8, 8] } },
    nodes: [
      { op: "Conv", inputs: ["latent_sample", "weights"], outputs: ["mixed"] },
      { op: "Tanh", inputs: ["mixed"], outputs: ["bounded"] },
      {
        op: "Resize",
        inputs: ["bounded", "", "scales"],
        outputs: ["sample"],
        attributes: { mode: "nearest" },
      },
    ],
  };
}

function numbers(type: "float32" | "float16", shape: readonly number[], values: readonly number[]): Constant {
  return { type, shape, values: type === "float32" ? values : [...toHalves(Float32Array.from(values))] };
}

function writeJson(folder: string, name: string, content: unknown): void {
  writeText(folder, name, JSON.stringify(content));
}

function writeText(folder: string, name: string, content: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), content);
}

/** Writes an image model with a manifest that has a price and few steps. @returns the models folder. */
export async function writePricedImageModel(
  models: string,
  id: string,
  imageTicks: number,
  steps = 3,
): Promise<string> {
  const folder = writeImageModel(join(models, id), publishedModels.sd15);
  const { bytes } = await inspectDiffusers(folder, null);
  writeJson(folder, "manifest.json", {
    id,
    aliases: [`${id}-alias`],
    kind: "image",
    name: "Painter",
    family: "stable-diffusion",
    version: "1",
    file: "model_index.json",
    bytes,
    sha256: null,
    contextTokens: 77,
    drawing: { steps, guidanceScale: 4 },
    inputModalities: ["text"],
    outputModalities: ["image"],
    capabilities: { reasoning: false, tools: false, structuredOutputs: false },
    prices: {
      promptTextTokenTicks: 0,
      cachedPromptTextTokenTicks: 0,
      completionTextTokenTicks: 0,
      imageTicks,
    },
    license: "Apache-2.0",
    created: 1_795_219_200,
    madeBy: "a test",
  });
  return models;
}
