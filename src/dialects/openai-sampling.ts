/** How tokens are drawn and when to stop, in the fields that all of OpenAI's text routes share. Pure. */
import { z } from "zod";
import type { Sampling } from "../core/generation.js";
import { int32Max, integer, list, number, stopText, topPMin } from "./bounded.js";

const logitBiasesMax = 1_024;
const stopsMax = 4;
const int64Max = 2 ** 63;

export const maxTokensField = integer(1, int32Max, `must be at least 1 and at most ${int32Max}`);

export const samplingFields = {
  temperature: number(0, 2),
  top_p: number(0, 1),
  stop: z.union([stopText, list(stopText, stopsMax)]).nullish(),
  /** Extension: runs alone and from an empty cache. */
  deterministic: z.boolean().nullish(),
  seed: integer(-int64Max, int64Max, "must fit into 64 bits"),
  frequency_penalty: number(-2, 2),
  presence_penalty: number(-2, 2),
  logit_bias: z
    .record(
      z.string().regex(/^\d{1,10}$/, "must have token ids as its keys"),
      z.number().min(-100, "must be between -100 and 100").max(100, "must be between -100 and 100"),
    )
    .refine(
      (bias) => Object.keys(bias).length <= logitBiasesMax,
      `must hold at most ${logitBiasesMax} tokens`,
    )
    .nullish(),
  /** Extension: only so many of the likeliest tokens are drawn from. */
  top_k: integer(1, 1_000),
  /** Extension: tokens less likely than this share of the likeliest one are not drawn. */
  min_p: number(0, 1),
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
function seed32(seed: number): number {
  const low = BigInt.asUintN(32, BigInt(seed));
  if (seed >= -(2 ** 31) && seed < 2 ** 32) return Number(low);
  return Number(low ^ BigInt.asUintN(32, BigInt(seed) >> 32n));
}
