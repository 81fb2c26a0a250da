/** Sampling and stop fields that all of OpenAI's text endpoints share. Pure. */
import { z } from "zod";
import type { StatedSampling } from "../../core/generation.js";
import { engineFields } from "./engine-fields.js";
import {
  int32Max,
  optionalInteger,
  boundedArray,
  boundedRecord,
  optionalNumber,
  stopSequenceField,
} from "../request-fields.js";

/** `top_k`. The engine takes a larger number as the largest that it has. */
const topKField = optionalInteger(-1, int32Max);

const logitBiasesMax = 1_024;
/** The hosted API takes 4; local servers take more, and their clients send them. */
const stopsMax = 16;
const int64Max = 2 ** 63;

const maxTokensRange = `must be at least 1 and at most ${int32Max}`;

/** Maximum tokens of an answer: at least one, or -1. */
export const maxTokensField = optionalInteger(-1, int32Max, maxTokensRange).refine(
  (value) => value !== 0,
  maxTokensRange,
);

/** Reads a maximum of tokens; null: none. Local engines read -1 as none. */
export function parseMaxTokens(value: number | null | undefined): number | null {
  return value == null || value === -1 ? null : value;
}

export const streamFields = {
  stream: z.boolean().nullish().describe("Whether the answer is streamed as server-sent events."),
  stream_options: z
    .object({ include_usage: z.boolean().nullish().describe("Adds a final chunk with the usage.") })
    .nullish()
    .describe("Allowed only with `stream: true`."),
};

export const samplingFields = {
  temperature: optionalNumber(0, 2).meta({
    default: 1,
    description: "0 always selects the most likely token.",
  }),
  top_p: optionalNumber(0, 1).meta({
    default: 1,
    description: "Samples only from the most likely tokens that together have this probability.",
  }),
  stop: z
    .union([stopSequenceField, boundedArray(stopSequenceField, stopsMax)])
    .nullish()
    .describe("The answer ends before any of these sequences."),
  deterministic: z
    .boolean()
    .nullish()
    .describe(
      "Extension: with a seed, returns the same bytes every time. Runs alone, without the prompt cache.",
    ),
  seed: optionalInteger(-int64Max, int64Max, "must fit into 64 bits").describe(
    "The same seed samples the same tokens, as far as rounding allows.",
  ),
  frequency_penalty: optionalNumber(-2, 2).meta({
    default: 0,
    description: "Makes a token less likely for each time it has occurred.",
  }),
  presence_penalty: optionalNumber(-2, 2).meta({
    default: 0,
    description: "Makes a token less likely once it has occurred.",
  }),
  logit_bias: boundedRecord(
    z.record(
      z.string().regex(/^(0|[1-9]\d{0,9})$/, "must have token ids as its keys"),
      z.number().min(-100, "must be between -100 and 100").max(100, "must be between -100 and 100"),
    ),
    logitBiasesMax,
    "tokens",
  )
    .nullish()
    .describe("Map of token id to the value that is added to its logit."),
  top_k: topKField.describe(
    "Extension: samples only from this many of the most likely tokens, at most 1000; 0 or -1: from all.",
  ),
  min_p: optionalNumber(0, 1).describe(
    "Extension: excludes tokens whose probability is below this fraction of the most likely token's.",
  ),
  ...engineFields,
};

type SamplingBody = z.infer<z.ZodObject<typeof samplingFields>>;

/** Reads the sampling settings that a request states. */
export function parseSampling(fields: SamplingBody): StatedSampling {
  return {
    temperature: fields.temperature ?? undefined,
    topP: parseTopP(fields.top_p),
    seed: parseSeed(fields.seed),
    frequencyPenalty: fields.frequency_penalty ?? undefined,
    presencePenalty: fields.presence_penalty ?? undefined,
    topK: parseTopK(fields.top_k),
    minP: fields.min_p ?? undefined,
    repeatPenalty: fields.repetition_penalty ?? fields.repeat_penalty ?? undefined,
    penaltyTokens: parsePenaltyTokens(fields.repeat_last_n),
    logitBias: fields.logit_bias ?? {},
  };
}

/** Reads the stop sequences: one, several, or none. */
export function parseStops({ stop }: SamplingBody): readonly string[] {
  if (stop == null) return [];
  return typeof stop === "string" ? [stop] : stop;
}

/** Reads a seed. Clients of local engines send -1 for a random one: null. */
function parseSeed(seed: number | null | undefined): number | null | undefined {
  if (seed == null) return undefined;
  return seed === -1 ? null : seed32(seed);
}

/** Converts a seed to 32 bits. A seed that fits keeps its bits; a wider one is the XOR of its two halves. */
export function seed32(seed: number): number {
  const low = BigInt.asUintN(32, BigInt(seed));
  if (seed >= -(2 ** 31) && seed < 2 ** 32) return Number(low);
  return Number(low ^ BigInt.asUintN(32, BigInt(seed) >> 32n));
}

/** Reads `repeat_last_n`; -1 is all of the answer: null. */
function parsePenaltyTokens(last: number | null | undefined): number | null | undefined {
  if (last == null) return undefined;
  return last === -1 ? null : last;
}

/** Reads `top_k`. Local engines read 0 and -1 as no limit: null. */
function parseTopK(topK: number | null | undefined): number | null | undefined {
  if (topK == null) return undefined;
  return topK <= 0 ? null : topK;
}

/** Smallest `top_p` that is passed to the engine. */
const topPMin = 1e-6;

/** Reads `top_p`. Clients send 0 to request the most likely token. */
function parseTopP(topP: number | null | undefined): number | undefined {
  return topP == null ? undefined : Math.max(topP, topPMin);
}
