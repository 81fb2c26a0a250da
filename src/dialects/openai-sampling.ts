/** How tokens are drawn and when to stop, in the fields that all of OpenAI's text routes share. Pure. */
import { z } from "zod";
import type { Sampling } from "../core/generation.js";
import { int32Max, integer, list, number, stopText, topPMin } from "./bounded.js";

const logitBiasesMax = 1_024;
const stopsMax = 4;
const int64Max = 2 ** 63;

export const maxTokensField = integer(1, int32Max, `must be at least 1 and at most ${int32Max}`);

export const streamFields = {
  stream: z.boolean().nullish().describe("Whether the answer comes as server-sent events, piece by piece."),
  stream_options: z
    .object({ include_usage: z.boolean().nullish().describe("Adds a last chunk with the usage.") })
    .nullish()
    .describe("Only together with `stream: true`."),
};

export const samplingFields = {
  temperature: number(0, 2).meta({ default: 1, description: "0 draws the likeliest token each time." }),
  top_p: number(0, 1).meta({
    default: 1,
    description: "Only the likeliest tokens that together have this probability are drawn from.",
  }),
  stop: z
    .union([stopText, list(stopText, stopsMax)])
    .nullish()
    .describe("The answer ends before any of these texts."),
  deterministic: z
    .boolean()
    .nullish()
    .describe("Extension: with a seed the same bytes every time; runs alone and from an empty cache."),
  seed: integer(-int64Max, int64Max, "must fit into 64 bits").describe(
    "The same seed draws the same tokens, as far as rounding allows.",
  ),
  frequency_penalty: number(-2, 2).meta({
    default: 0,
    description: "Makes a token less likely each time it was written.",
  }),
  presence_penalty: number(-2, 2).meta({
    default: 0,
    description: "Makes a token less likely once it was written.",
  }),
  logit_bias: z
    .record(
      z.string().regex(/^\d{1,10}$/, "must have token ids as its keys"),
      z.number().min(-100, "must be between -100 and 100").max(100, "must be between -100 and 100"),
    )
    .refine(
      (bias) => Object.keys(bias).length <= logitBiasesMax,
      `must hold at most ${logitBiasesMax} tokens`,
    )
    .meta({ maxProperties: logitBiasesMax })
    .nullish()
    .describe("By token id: what is added to the token's logit."),
  top_k: integer(1, 1_000).describe("Extension: only so many of the likeliest tokens are drawn from."),
  min_p: number(0, 1).describe(
    "Extension: tokens less likely than this share of the likeliest one are not drawn.",
  ),
};

export type SamplingBody = z.infer<z.ZodObject<typeof samplingFields>>;

/** Reads how tokens are drawn. */
export function parseSampling(fields: SamplingBody): Sampling {
  return {
    temperature: fields.temperature ?? 1,
    topP: Math.max(fields.top_p ?? 1, topPMin),
    seed: fields.seed == null ? null : seed32(fields.seed),
    frequencyPenalty: fields.frequency_penalty ?? 0,
    presencePenalty: fields.presence_penalty ?? 0,
    topK: fields.top_k ?? null,
    minP: fields.min_p ?? 0,
    logitBias: fields.logit_bias ?? {},
  };
}

/** Reads the texts that end an answer: one, several, or none. */
export function parseStops({ stop }: SamplingBody): readonly string[] {
  if (stop == null) return [];
  return typeof stop === "string" ? [stop] : stop;
}

/** 32-bit seeds, signed or not, keep their bits; wider ones are folded so that both halves count. */
export function seed32(seed: number): number {
  const low = BigInt.asUintN(32, BigInt(seed));
  if (seed >= -(2 ** 31) && seed < 2 ** 32) return Number(low);
  return Number(low ^ BigInt.asUintN(32, BigInt(seed) >> 32n));
}
