/** The `options` of Ollama's requests. Options of the loader, such as `num_ctx` and `num_gpu`, and unknown ones are ignored. Pure. */
import { z } from "zod";
import type { GenerationRequest, StatedSampling } from "../../core/generation.js";
import { otherSamplerFields, warnOfSamplers } from "../generation/engine-fields.js";
import { seed32 } from "../generation/sampling.js";
import {
  boundedArray,
  int32Max,
  optionalInteger,
  optionalNumber,
  parsePenaltyTokens,
  parseTopK,
  parseTopP,
  stopSequenceField,
  topKField,
} from "../request-fields.js";

const stopsMax = 64;
const int64Max = 2 ** 63;

const options = z
  .object({
    num_predict: optionalInteger(-2, int32Max).describe(
      "Maximum tokens of the answer; 0 or less: as the context holds.",
    ),
    temperature: optionalNumber(0, 2),
    top_k: topKField.describe("0 or -1: no limit."),
    top_p: optionalNumber(0, 1),
    min_p: optionalNumber(0, 1),
    seed: optionalInteger(-int64Max, int64Max, "must fit into 64 bits").describe("Negative: a random one."),
    stop: z.union([stopSequenceField, boundedArray(stopSequenceField, stopsMax)]).nullish(),
    repeat_penalty: optionalNumber(0.1, 10),
    repeat_last_n: optionalInteger(-1, int32Max).meta({
      default: 64,
      description: "Tokens of the answer that penalties count; -1: all.",
    }),
    presence_penalty: optionalNumber(-2, 2),
    frequency_penalty: optionalNumber(-2, 2),
    ...otherSamplerFields,
  })
  .meta({
    id: "OllamaOptions",
    description:
      "Sampling and limits. Other options are ignored: options of the loader are settings of the server.",
  });

export const optionsField = options.nullish();

type OptionsBody = z.infer<typeof optionsField>;

type ParsedOptions = Pick<
  GenerationRequest,
  "sampling" | "penaltyTokensUnstated" | "stop" | "maxTokens" | "warnings"
>;

/** Ollama's default. */
const penaltyTokensDefault = 64;

/** Reads the options. */
export function parseOptions(fields: OptionsBody): ParsedOptions {
  const stated = fields ?? {};
  const { num_predict: maxTokens, stop } = stated;
  return {
    sampling: toSampling(stated),
    penaltyTokensUnstated: penaltyTokensDefault,
    warnings: warnOfSamplers(stated, "options."),
    stop: stop == null ? [] : typeof stop === "string" ? [stop] : stop,
    maxTokens: maxTokens != null && maxTokens > 0 ? maxTokens : null,
  };
}

function toSampling(stated: NonNullable<OptionsBody>): StatedSampling {
  const { seed } = stated;
  return {
    temperature: stated.temperature ?? undefined,
    topP: parseTopP(stated.top_p),
    seed: seed == null ? undefined : seed < 0 ? null : seed32(seed),
    frequencyPenalty: stated.frequency_penalty ?? undefined,
    presencePenalty: stated.presence_penalty ?? undefined,
    topK: parseTopK(stated.top_k),
    minP: stated.min_p ?? undefined,
    repeatPenalty: stated.repeat_penalty ?? undefined,
    penaltyTokens: parsePenaltyTokens(stated.repeat_last_n),
  };
}
