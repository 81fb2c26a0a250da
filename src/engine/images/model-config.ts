/** Reads and validates the JSON files of an image model's folder, with the defaults of diffusers. */
import { join } from "node:path";
import { z } from "zod";
import { readRegularFile, UnreadableFileError } from "../../system/regular-file.js";
import { createClipTokenizer, type ClipText } from "./clip/tokenizer.js";
import { readScheduler, type NoiseScheduler } from "./schedulers/scheduler.js";
import { UnusableModelError } from "./unusable-model.js";

/** The configuration of an image model. */
export interface ImageModelConfig {
  readonly tokenize: (text: string) => ClipText;
  readonly scheduler: NoiseScheduler;
  /** Channels of a latent image. */
  readonly channels: number;
  /** Side of the latent images that the model was trained on; null: unknown. */
  readonly latentSide: number | null;
  /** Ratio of an image's sides to the sides of its latent image. */
  readonly factor: number;
  /** Sides of latent images are multiples of this. */
  readonly latentMultiple: number;
  /** Factor that latent images were multiplied by in training. */
  readonly scalingFactor: number;
  /** Size of the guidance embedding of a model that was trained with guidance; null: it was not. */
  readonly guidanceEmbeddingSize: number | null;
  /** Default settings for models of this kind. */
  readonly defaults: { readonly steps: number; readonly guidanceScale: number };
}

const fileBytesMax = 64 * 1024 * 1024;
const tokenText = z.union([
  z.string(),
  z.object({ content: z.string() }).transform(({ content }) => content),
]);

const unet = z.object({
  in_channels: z.number().int().min(1).max(64).default(4),
  sample_size: z.union([z.number().int().min(1).max(1024), z.array(z.unknown())]).nullish(),
  time_cond_proj_dim: z.number().int().min(2).max(4096).nullish(),
  down_block_types: z.array(z.unknown()).min(1).max(8).nullish(),
});
const vae = z.object({
  scaling_factor: z.number().positive().default(0.18215),
  block_out_channels: z.array(z.unknown()).min(1).max(8).nullish(),
});
const tokenizer = z.object({
  model_max_length: z.number().int().min(3).max(512).default(77),
  pad_token: tokenText.nullish(),
});
const vocabulary = z.record(z.string(), z.number().int().min(0));

/** Reads a model's folder. @throws UnusableModelError with the reason. */
export async function readImageModelConfig(folder: string): Promise<ImageModelConfig> {
  const json = async (name: string): Promise<unknown> => parsed(name, await text(folder, name));
  const jsonOrEmpty = (name: string): Promise<unknown> => json(name).catch(() => ({}));
  const { config, scheduler } = readScheduler(await json("scheduler/scheduler_config.json"));
  const [unetConfig, vaeConfig] = [
    checked(unet, await jsonOrEmpty("unet/config.json"), "unet/config.json"),
    checked(vae, await readVaeConfig(json), "vae_decoder/config.json"),
  ];
  const side = unetConfig.sample_size;
  return {
    tokenize: await readTokenizer(folder, json, jsonOrEmpty),
    scheduler,
    channels: unetConfig.in_channels,
    latentSide: typeof side === "number" ? side : null,
    factor: 2 ** ((vaeConfig.block_out_channels?.length ?? 4) - 1),
    latentMultiple: 2 ** ((unetConfig.down_block_types?.length ?? 4) - 1),
    scalingFactor: vaeConfig.scaling_factor,
    guidanceEmbeddingSize: unetConfig.time_cond_proj_dim ?? null,
    defaults: defaultsFor(config._class_name, config.timestep_spacing),
  };
}

type ReadJson = (name: string) => Promise<unknown>;

/** Reads the VAE's configuration, which an export has in one of two folders or not at all. */
function readVaeConfig(json: ReadJson): Promise<unknown> {
  return json("vae_decoder/config.json").catch(() => json("vae/config.json").catch(() => ({})));
}

async function readTokenizer(
  folder: string,
  json: ReadJson,
  jsonOrEmpty: ReadJson,
): Promise<ImageModelConfig["tokenize"]> {
  const config = checked(
    tokenizer,
    await jsonOrEmpty("tokenizer/tokenizer_config.json"),
    "tokenizer_config.json",
  );
  const special = z
    .object({ pad_token: tokenText.nullish() })
    .safeParse(await jsonOrEmpty("tokenizer/special_tokens_map.json"));
  return createClipTokenizer({
    vocabulary: checked(vocabulary, await json("tokenizer/vocab.json"), "vocab.json"),
    merges: await text(folder, "tokenizer/merges.txt"),
    length: config.model_max_length,
    padToken: config.pad_token ?? special.data?.pad_token ?? "<|endoftext|>",
  });
}

/** Returns the default settings. Models distilled to a few steps need no guidance, which would degrade their images. */
function defaultsFor(scheduler: string, spacing: string): ImageModelConfig["defaults"] {
  if (scheduler === "LCMScheduler") return { steps: 4, guidanceScale: 8.5 };
  const isTurbo = scheduler === "EulerDiscreteScheduler" && spacing === "trailing";
  return isTurbo ? { steps: 4, guidanceScale: 0 } : { steps: 25, guidanceScale: 7.5 };
}

async function text(folder: string, name: string): Promise<string> {
  try {
    return (await readRegularFile(join(folder, name), fileBytesMax)).toString("utf8");
  } catch (thrown) {
    const reason = thrown instanceof UnreadableFileError ? `: ${thrown.message}` : "";
    throw new UnusableModelError(`its ${name} cannot be read${reason}.`);
  }
}

function parsed(name: string, content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    throw new UnusableModelError(`its ${name} is not valid JSON.`);
  }
}

function checked<T extends z.ZodType>(schema: T, content: unknown, name: string): z.infer<T> {
  const result = schema.safeParse(content);
  if (result.success) return result.data;
  const field = result.error.issues[0]?.path.join(".") ?? "";
  throw new UnusableModelError(`its ${name} has a '${field.slice(0, 64)}' that is not supported.`);
}
