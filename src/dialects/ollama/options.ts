/**
 * The `options` of Ollama's requests, and the fields of other servers, which stand in the options or in the body itself. Options of the
 * loader, such as `num_ctx` and `num_gpu`, and unknown ones are ignored. Pure.
 */
import { z } from "zod";
import type { GenerationRequest } from "../../core/generation.js";
import { parseEngineFields } from "../generation/engine-fields.js";
import type { FieldPath } from "../generation/field-path.js";
import { formatFields } from "../generation/format-fields.js";
import { continuationFields } from "../generation/continuation.js";
import { reasoningFields } from "../generation/reasoning-fields.js";
import { parseSampling, parseStops, samplingFields } from "../generation/sampling.js";
import { boundedArray, int32Max, optionalInteger, stopSequenceField } from "../request-fields.js";

const stopsMax = 64;
const int64Max = 2 ** 63;

/** Fields of other servers, which clients send in the options or in the body. */
export const sharedFields = {
  ...samplingFields,
  ...formatFields,
  ...reasoningFields,
  ...continuationFields,
};

type SharedBody = z.infer<z.ZodObject<typeof sharedFields>>;

const options = z
  .object({
    ...sharedFields,
    num_predict: optionalInteger(-2, int32Max).describe(
      "Maximum tokens of the answer; 0 or less: as the context holds.",
    ),
    seed: optionalInteger(-int64Max, int64Max, "must fit into 64 bits").describe("Negative: a random one."),
    stop: z.union([stopSequenceField, boundedArray(stopSequenceField, stopsMax)]).nullish(),
    repeat_last_n: optionalInteger(-1, int32Max).meta({
      default: 64,
      description: "Tokens of the answer that penalties count; -1: all.",
    }),
  })
  .meta({
    id: "OllamaOptions",
    description:
      "Sampling and limits. Other options are ignored: options of the loader are settings of the server.",
  });

export const optionsField = options.nullish();

type OptionsBody = z.infer<typeof optionsField>;

/** Ollama's default. */
const penaltyTokensDefault = 64;

/** Fields that stand in the options or in the body, and where each is. */
export interface SharedFields {
  readonly fields: SharedBody;
  readonly toPath: FieldPath;
}

/** Joins the fields of the options, which take precedence, and of the body. */
export function joinShared(body: SharedBody, stated: OptionsBody): SharedFields {
  const names = Object.keys(sharedFields) as readonly (keyof SharedBody)[];
  const inOptions = names.filter((name) => stated?.[name] != null);
  const own = Object.fromEntries(inOptions.map((name) => [name, stated?.[name]]));
  return {
    fields: { ...body, ...own },
    toPath: (name) => (inOptions.some((each) => each === name) ? `options.${name}` : name),
  };
}

/** Reads the sampling and the limits. @throws HearthError `invalid_value` as `parseEngineFields` */
export function parseOptions({ fields, toPath }: SharedFields, stated: OptionsBody) {
  const tokens = stated?.num_predict;
  const maxTokens = tokens != null && tokens > 0 ? tokens : null;
  const seed = fields.seed != null && fields.seed < 0 ? -1 : fields.seed;
  return {
    sampling: parseSampling({ ...fields, seed }),
    penaltyTokensUnstated: penaltyTokensDefault,
    stop: parseStops(fields),
    maxTokens,
    deterministic: fields.deterministic ?? false,
    ...parseEngineFields(fields, maxTokens, toPath),
  } satisfies Partial<GenerationRequest>;
}
