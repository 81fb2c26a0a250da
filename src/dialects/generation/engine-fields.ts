/**
 * Fields of engines such as vLLM, SGLang and llama-server, which their clients send to other servers, too. What the engines here do is read.
 * A field that only changes how likely a token is gets a warning; one without which the answer would mean something else is refused. Pure.
 */
import { z } from "zod";
import { invalidValue, unsupported } from "../field-error.js";
import { inBody, type FieldPath } from "./field-path.js";
import {
  boundedArray,
  int32Max,
  optionalInteger,
  optionalNumber,
  requiredInteger,
} from "../request-fields.js";

const stopTokensMax = 256;

/** Samplers that no engine here has, with the values at which each does nothing. */
const otherSamplers = {
  typical_p: [1],
  typical: [1],
  tfs_z: [1],
  mirostat: [0],
  mirostat_mode: [0],
  dry_multiplier: [0],
  xtc_probability: [0],
  dynatemp_range: [0],
  top_n_sigma: [-1, 0],
  top_a: [0],
  length_penalty: [1],
  no_repeat_ngram_size: [0],
} as const satisfies Readonly<Record<string, readonly number[]>>;
type OtherSampler = keyof typeof otherSamplers;

const samplerNames = Object.keys(otherSamplers) as readonly OtherSampler[];
const otherSampler = z.number().nullish().describe("Not applied: `x-hearth-warning` names it.");

const otherSamplerFields = Object.fromEntries(samplerNames.map((name) => [name, otherSampler])) as Record<
  OtherSampler,
  typeof otherSampler
>;

/** Fields that are refused where they are stated with a value that is not empty. */
const refusedFields = {
  prompt_logprobs: "log probabilities of the prompt are",
  use_beam_search: "beam search is",
  bad_words: "forbidden words are",
  allowed_token_ids: "a list of allowed tokens is",
  truncate_prompt_tokens: "cutting a prompt to a number of tokens is",
} as const;
type RefusedField = keyof typeof refusedFields;

const refusedNames = Object.keys(refusedFields) as readonly RefusedField[];
const refused = z.unknown().optional().describe("Not supported: rejected unless it is empty.");

export const engineFields = {
  repetition_penalty: optionalNumber(0.1, 10).describe(
    "Divides the logits of tokens that have occurred in the answer; 1 has no effect.",
  ),
  repeat_penalty: optionalNumber(0.1, 10).describe("Another name of `repetition_penalty`."),
  repeat_last_n: optionalInteger(-1, int32Max).describe(
    "Latest tokens that penalties count; -1: all of the answer.",
  ),
  min_tokens: optionalInteger(0, int32Max).describe(
    "The model may end the answer only after this many tokens.",
  ),
  ignore_eos: z
    .boolean()
    .nullish()
    .describe("With true, the model does not end the answer: it is as long as it may be."),
  stop_token_ids: boundedArray(requiredInteger(0, int32Max), stopTokensMax)
    .nullish()
    .describe("The answer ends before any of these tokens."),
  ...otherSamplerFields,
  ...(Object.fromEntries(refusedNames.map((name) => [name, refused])) as Record<
    RefusedField,
    typeof refused
  >),
};

type EngineBody = z.infer<z.ZodObject<typeof engineFields>>;

/**
 * Reads what the fields change of a request, besides its sampling.
 * @param maxTokens of the answer; null: not stated
 * @throws HearthError `invalid_value` that names a field which is not supported, or which the length of the answer contradicts.
 */
export function parseEngineFields(fields: EngineBody, maxTokens: number | null, toPath: FieldPath = inBody) {
  for (const name of refusedNames)
    if (!isEmpty(fields[name])) throw unsupported(toPath(name), refusedFields[name]);
  const { min_tokens: least, ignore_eos: ignoresEnd, stop_token_ids: stopTokens } = fields;
  if (least != null && maxTokens !== null && least > maxTokens)
    throw invalidValue(
      toPath("min_tokens"),
      `must not be more than the maximum tokens of the answer, ${maxTokens}`,
    );
  const minTokens = ignoresEnd === true ? Infinity : (least ?? 0);
  return {
    minTokens: minTokens > 0 ? minTokens : undefined,
    stopTokens: stopTokens ?? undefined,
    warnings: warnOfSamplers(fields, toPath),
  };
}

/** Returns a sentence for each sampler that is not applied. */
function warnOfSamplers(fields: EngineBody, toPath: FieldPath): readonly string[] {
  return samplerNames.flatMap((name) => {
    const value = fields[name];
    const isNeutral = value == null || otherSamplers[name].some((neutral) => neutral === value);
    return isNeutral ? [] : [`${toPath(name)} is not applied: this server has no such sampler`];
  });
}

function isEmpty(value: unknown): boolean {
  return value == null || value === false || (Array.isArray(value) && value.length === 0);
}
