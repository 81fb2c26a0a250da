/** The `options` of Ollama's requests. Options of the loader, such as `num_ctx` and `num_gpu`, and unknown ones are ignored. Pure. */
import { z } from "zod";
import type { GenerationRequest, StatedSampling } from "../../core/generation.js";
import { unsupported } from "../field-error.js";
import { seed32 } from "../openai-sampling.js";
import {
  boundedArray,
  int32Max,
  optionalInteger,
  optionalNumber,
  parseTopP,
  stopSequenceField,
} from "../request-fields.js";

const stopsMax = 64;
const int64Max = 2 ** 63;

const options = z
  .object({
    num_predict: optionalInteger(-2, int32Max).describe(
      "Maximum tokens of the answer; 0 or less: as the context holds.",
    ),
    temperature: optionalNumber(0, 2),
    top_k: optionalInteger(0, 1_000).describe("0: no limit."),
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
    typical_p: optionalNumber(0, 1).describe("Only 1, which has no effect."),
    tfs_z: optionalNumber(0, 1).describe("Only 1, which has no effect."),
    mirostat: optionalInteger(0, 2).describe("Only 0, which has no effect."),
  })
  .meta({
    id: "OllamaOptions",
    description:
      "Sampling and limits. Other options are ignored: options of the loader are settings of the server.",
  });

export const optionsField = options.nullish();

type OptionsBody = z.infer<typeof optionsField>;

type ParsedOptions = Pick<GenerationRequest, "sampling" | "stop" | "maxTokens">;

/** Ollama's default. */
const penaltyTokensDefault = 64;

/** Reads the options. @throws HearthError `invalid_value` that names one that is not supported. */
export function parseOptions(fields: OptionsBody): ParsedOptions {
  const stated = fields ?? {};
  rejectOtherSamplers(stated);
  const { num_predict: maxTokens, stop } = stated;
  return {
    sampling: toSampling(stated),
    stop: stop == null ? [] : typeof stop === "string" ? [stop] : stop,
    maxTokens: maxTokens != null && maxTokens > 0 ? maxTokens : null,
  };
}

function toSampling(stated: NonNullable<OptionsBody>): StatedSampling {
  const { seed, top_k: topK, repeat_last_n: last = penaltyTokensDefault } = stated;
  return {
    temperature: stated.temperature ?? undefined,
    topP: parseTopP(stated.top_p),
    seed: seed == null ? undefined : seed < 0 ? null : seed32(seed),
    frequencyPenalty: stated.frequency_penalty ?? undefined,
    presencePenalty: stated.presence_penalty ?? undefined,
    topK: topK === 0 ? null : (topK ?? undefined),
    minP: stated.min_p ?? undefined,
    repeatPenalty: stated.repeat_penalty ?? undefined,
    penaltyTokens: last === -1 ? undefined : (last ?? penaltyTokensDefault),
  };
}

function rejectOtherSamplers({ typical_p: typical, tfs_z: tail, mirostat }: NonNullable<OptionsBody>): void {
  if (typical != null && typical !== 1) throw unsupported("options.typical_p", "locally typical sampling is");
  if (tail != null && tail !== 1) throw unsupported("options.tfs_z", "tail-free sampling is");
  if (mirostat != null && mirostat !== 0) throw unsupported("options.mirostat", "mirostat sampling is");
}
