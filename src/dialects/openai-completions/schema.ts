/**
 * Schema of the request of POST /v1/completions, with the fields of OpenAI and xAI. `null` means absent for every optional
 * field. Other fields do not change the answer and are ignored. The elements of a prompt array are validated by parse.ts.
 */
import { z } from "zod";
import { int32Max, optionalInteger, modelIdField, requiredInteger } from "../request-fields.js";
import { labelField } from "../run-labels.js";
import { formatFields } from "../generation/format-fields.js";
import { reasoningFields } from "../generation/reasoning-fields.js";
import { samplingFields, streamFields } from "../generation/sampling.js";

/** Maximum elements of a prompt array: token ids or prompts. */
const promptElementsMax = 1_048_576;

const prompt = z
  .union([
    z.string(),
    z
      .array(z.unknown())
      .max(promptElementsMax, `must hold at most ${promptElementsMax} elements`)
      .meta({
        items: {
          anyOf: [
            { type: "string" },
            { type: "integer", minimum: 0, maximum: int32Max },
            { type: "array", items: { type: "integer", minimum: 0, maximum: int32Max } },
          ],
        },
      }),
  ])
  .describe("One text, up to 128 texts, the token ids of one prompt, or the token ids of up to 128 prompts.");

export const completionRequestSchema = z
  .object({
    model: modelIdField,
    prompt,
    suffix: z
      .string()
      .nullish()
      .describe("Text after the gap that the model fills, if the model supports it."),
    parse_special: z
      .boolean()
      .nullish()
      .describe("Extension: control tokens in the text of the prompt are interpreted as such."),
    max_tokens: optionalInteger(-1, int32Max).meta({
      default: 16,
      description: "Maximum tokens of the text: 0 evaluates the prompt alone; -1: as the context holds.",
    }),
    n: optionalInteger(1, 128).meta({ default: 1, description: "Number of choices for each prompt." }),
    best_of: optionalInteger(1, 20).describe(
      "Number of choices that are sampled for each prompt; the `n` most likely are returned.",
    ),
    echo: z.boolean().nullish().describe("Whether the text begins with the prompt."),
    logprobs: z
      .union([z.boolean(), requiredInteger(0, 5)])
      .nullish()
      .describe("How many of the most likely tokens are returned; `true` means 1."),
    user: labelField.describe("Stored with the run."),
    ...streamFields,
    ...samplingFields,
    truncate_prompt_tokens: optionalInteger(1, int32Max).describe(
      "Only this number of the last tokens of each prompt are used; not with `suffix`.",
    ),
    ...formatFields,
    ...reasoningFields,
  })
  .meta({ id: "CompletionRequest" });
