/** What the JSON files of a model's folder say: read with the defaults of diffusers, and bounded. */
import { open } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { createClipTokenizer, type ClipText } from "./clip/tokenizer.js";
import { readScheduler, type Scheduler } from "./schedulers/scheduler.js";
import { Unusable } from "./unusable.js";

/** A folder that could be read. */
export interface Layout {
  readonly tokenize: (text: string) => ClipText;
  readonly scheduler: Scheduler;
  /** Channels of a latent image. */
  readonly channels: number;
  /** Side of the latent images that it was trained on; null: not told. */
  readonly latentSide: number | null;
  /** Latent images are as many times smaller than images. */
  readonly factor: number;
  /** Sides of latent images are multiples of it. */
  readonly latentMultiple: number;
  /** What latent images were multiplied by when it was trained. */
  readonly scalingFactor: number;
  /** Numbers that tell the guidance to a model which was trained with it; null: it was not. */
  readonly guidanceNumbers: number | null;
  /** How models of this kind are drawn with. */
  readonly usual: { readonly steps: number; readonly guidanceScale: number };
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

/** Reads a folder. @throws Unusable saying what is wrong with it. */
export async function readLayout(folder: string): Promise<Layout> {
  const json = async (name: string): Promise<unknown> => parsed(name, await text(folder, name));
  const given = (name: string): Promise<unknown> => json(name).catch(() => ({}));
  const { config, scheduler } = readScheduler(await json("scheduler/scheduler_config.json"));
  const [unetConfig, vaeConfig] = [
    checked(unet, await given("unet/config.json"), "unet/config.json"),
    checked(vae, await vaeConfigOf(json), "vae_decoder/config.json"),
  ];
  const side = unetConfig.sample_size;
  return {
    tokenize: await readTokenizer(folder, json, given),
    scheduler,
    channels: unetConfig.in_channels,
    latentSide: typeof side === "number" ? side : null,
    factor: 2 ** ((vaeConfig.block_out_channels?.length ?? 4) - 1),
    latentMultiple: 2 ** ((unetConfig.down_block_types?.length ?? 4) - 1),
    scalingFactor: vaeConfig.scaling_factor,
    guidanceNumbers: unetConfig.time_cond_proj_dim ?? null,
    usual: usualFor(config._class_name, config.timestep_spacing),
  };
}

type ReadJson = (name: string) => Promise<unknown>;

/** Exports have it beside the decoder, or where the decoder came from, or not at all. */
function vaeConfigOf(json: ReadJson): Promise<unknown> {
  return json("vae_decoder/config.json").catch(() => json("vae/config.json").catch(() => ({})));
}

async function readTokenizer(folder: string, json: ReadJson, given: ReadJson): Promise<Layout["tokenize"]> {
  const config = checked(tokenizer, await given("tokenizer/tokenizer_config.json"), "tokenizer_config.json");
  const special = z
    .object({ pad_token: tokenText.nullish() })
    .safeParse(await given("tokenizer/special_tokens_map.json"));
  return createClipTokenizer({
    vocabulary: checked(vocabulary, await json("tokenizer/vocab.json"), "vocab.json"),
    merges: await text(folder, "tokenizer/merges.txt"),
    length: config.model_max_length,
    padToken: config.pad_token ?? special.data?.pad_token ?? "<|endoftext|>",
  });
}

/** Models distilled to a few steps need no guidance, and take harm from it. */
function usualFor(scheduler: string, spacing: string): Layout["usual"] {
  if (scheduler === "LCMScheduler") return { steps: 4, guidanceScale: 8.5 };
  const isTurbo = scheduler === "EulerDiscreteScheduler" && spacing === "trailing";
  return isTurbo ? { steps: 4, guidanceScale: 0 } : { steps: 25, guidanceScale: 7.5 };
}

async function text(folder: string, name: string): Promise<string> {
  const file = await open(join(folder, name), "r").catch(() => null);
  if (file === null) throw new Unusable(`its ${name} cannot be read.`);
  try {
    if ((await file.stat()).size > fileBytesMax) throw new Unusable(`its ${name} is too large.`);
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}

function parsed(name: string, content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    throw new Unusable(`its ${name} is not valid JSON.`);
  }
}

function checked<T extends z.ZodType>(schema: T, content: unknown, name: string): z.infer<T> {
  const result = schema.safeParse(content);
  if (result.success) return result.data;
  const field = result.error.issues[0]?.path.join(".") ?? "";
  throw new Unusable(`its ${name} has a '${field.slice(0, 64)}' that is not supported.`);
}
