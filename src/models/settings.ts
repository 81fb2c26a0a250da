/**
 * The settings of one model, which `models:` of hearth.yaml, `hearth set` and `/admin/models/{id}` have in common. They apply over what
 * the files of the model say.
 */
import { z } from "zod";
import { isModelId } from "./manifest.js";

/** USD per million tokens are whole ticks per token up to four decimals. */
const usdDecimals = 4;
const usdPerMillionMax = 100_000;
const usdPerImageMax = 1000;
const aliasesMax = 64;
const systemCharactersMax = 100_000;
const templateCharactersMax = 1_000_000;
const adaptersMax = 8;
const msPerUnit: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const keepAliveMsMax = 31 * 24 * 3_600_000;

const number = (min: number, max: number) =>
  z
    .number({ error: "must be a number" })
    .min(min, `must be at least ${min}`)
    .max(max, `must be at most ${max}`);
const decimal = (min: number, max: number) => z.preprocess(toNumber, number(min, max));
const whole = (min: number, max: number) =>
  z.preprocess(toNumber, number(min, max).int("must be a whole number"));
const usd = (max: number, decimals: number) =>
  z.preprocess(
    toNumber,
    number(0, max).refine((value) => hasDecimals(value, decimals), `must have at most ${decimals} decimals`),
  );

const aliasPattern = z
  .string()
  .refine(
    isAlias,
    "must be 1 to 200 letters, digits or ._:/- and not begin with . or /; * stands for any text",
  );

/** `10m`, a number of ms, or `forever`. */
const keepAlive = z.union([z.literal("forever"), z.number(), z.string()]).transform((written, context) => {
  const ms = written === "forever" ? keepAliveMsMax : durationMs(written);
  if (ms !== null && ms >= 0 && ms <= keepAliveMsMax) return ms;
  context.addIssue({ code: "custom", message: "must be a time such as 30s, 10m or 2h, 0, or forever" });
  return z.NEVER;
});

const prices = z
  .strictObject({
    /** USD per million prompt tokens. */
    prompt: usd(usdPerMillionMax, usdDecimals),
    /** USD per million prompt tokens that were evaluated before; default: the price of prompt tokens. */
    cached: usd(usdPerMillionMax, usdDecimals),
    /** USD per million sampled tokens, reasoning included. */
    completion: usd(usdPerMillionMax, usdDecimals),
    /** USD per image that is generated. */
    image: usd(usdPerImageMax, 10),
  })
  .partial();

const sampling = z
  .strictObject({
    temperature: decimal(0, 2),
    topP: decimal(Number.MIN_VALUE, 1),
    topK: whole(1, 1_000_000),
    minP: decimal(0, 1),
    frequencyPenalty: decimal(-2, 2),
    presencePenalty: decimal(-2, 2),
    seed: whole(0, 4_294_967_295),
    /** Sampled tokens of an answer; default: as many as the context holds. */
    maxTokens: whole(1, 1_048_576),
  })
  .partial();

const adapter = z.strictObject({
  /** A GGUF file, absolute or relative to the folder of models. */
  file: z.string().min(1).max(4096),
  scale: decimal(-100, 100).default(1),
});

const tensorPatternsMax = 64;
const gpusMax = 16;
const tensorPattern = z
  .string()
  .min(1)
  .max(200)
  .refine(isPattern, "must be a regular expression on one line");

const notOffered = z
  .unknown()
  .refine(
    (value) => value === undefined,
    "is not offered: a draft model was measured to make decoding on a CPU slower, and it would break the shared batches",
  );

export const modelSettingsSchema = z
  .strictObject({
    /** Other names that requests may use; `gpt-*` stands for every name that begins with `gpt-`. */
    aliases: z.array(aliasPattern).max(aliasesMax),
    prices,
    /** Tokens of prompt and answer together; at most what the model was trained with. */
    context: whole(64, 1_048_576),
    /** Generations at a time. */
    slots: whole(1, 255),
    /** What applies where a request does not say otherwise. */
    sampling,
    /** System message of conversations that have none. */
    system: z.string().max(systemCharactersMax),
    /** How long the model stays in memory unused. */
    keepAlive,
    /** Jinja chat template instead of the model's own: its text, or the path of a file, which ends in .jinja. */
    template: z.string().min(1).max(templateCharactersMax),
    /** Type of the KV cache. */
    kvCache: z.enum(["f16", "q8_0", "q4_0"]),
    /** LoRA adapters that are applied to the weights. */
    lora: z.array(adapter).min(1).max(adaptersMax),
    /** The GGUF file that reads images or sound for the model; `none`: it reads text alone, whatever lies beside it. */
    projector: z.string().min(1).max(4096),
    /** For a LoRA adapter: the id of the model that it adapts. */
    base: z.string().min(1).max(200),
    /** For a LoRA adapter: the strength that it is applied with; default: 1. */
    scale: decimal(-100, 100),
    /** Layers that are computed on the GPU. */
    gpuLayers: z.union([z.enum(["auto", "max"]), whole(0, 100_000)]),
    /** Layers, from the first on, whose experts stay in main memory beside a GPU. */
    cpuExperts: z.union([z.literal("all"), whole(0, 512)]),
    /** Regular expressions: tensors whose names they match stay in main memory beside a GPU. */
    cpuTensors: z.array(tensorPattern).min(1).max(tensorPatternsMax),
    /** The GPU that has the model where it is not split; the first is 0. */
    mainGpu: whole(0, gpusMax - 1),
    /** How several GPUs share the model. */
    gpuSplit: z.enum(["none", "layer", "row"]),
    /** Parts of the model on each GPU, in proportion. */
    gpuShares: z.array(decimal(0, 1_000_000)).min(1).max(gpusMax),
    /** Tokens after which its reasoning is ended where a request states no effort and no budget. */
    reasoningTokensMax: whole(1, 1_048_576),
    draft: notOffered,
  })
  .partial();

/** Settings of one model. Times are ms. */
export type ModelSettings = Readonly<z.output<typeof modelSettingsSchema>>;
/** Settings by the id of the model. */
export type SettingsByModel = Readonly<Record<string, ModelSettings>>;

/** The names of all settings, dotted where they are fields of another one: `context`, `sampling.temperature`. */
export const settingNames: readonly string[] = Object.entries(modelSettingsSchema.shape).flatMap(
  ([name, schema]) => {
    const inner = schema.unwrap();
    if (name === "draft") return [];
    return inner instanceof z.ZodObject
      ? Object.keys(inner.shape).map((field) => `${name}.${field}`)
      : [name];
  },
);

function isPattern(written: string): boolean {
  try {
    return new RegExp(written) instanceof RegExp && !written.includes("\n");
  } catch {
    return false;
  }
}

/** A model name, or a pattern of names: `*` stands for any text. */
function isAlias(written: string): boolean {
  return isModelId(written.replaceAll("*", "x"));
}

/** Returns the number that a text is, as commands and forms send it. Nothing else becomes a number: an empty price is not 0. */
function toNumber(value: unknown): unknown {
  return typeof value === "string" && value.trim() !== "" ? Number(value) : value;
}

function hasDecimals(value: number, decimals: number): boolean {
  return Number(value.toFixed(decimals)) === value;
}

/** Returns a time such as `10m` in ms; a number without a unit is ms. null: it is not a time. */
function durationMs(written: string | number): number | null {
  const [, count = "", unit = "ms"] = /^(\d{1,12}(?:\.\d{1,3})?)\s*(ms|s|m|h)?$/.exec(String(written)) ?? [];
  return count === "" ? null : Math.round(Number(count) * (msPerUnit[unit] ?? 1));
}
