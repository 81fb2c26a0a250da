/**
 * The request of POST /v1/completions as it is on the wire: OpenAI's and xAI's fields together. `null` means absent for every
 * optional field; fields that are not here (user, ...) change nothing in the answer and are dropped unread. The elements of a
 * prompt array are read by prompts.ts.
 */
import { z } from "zod";
import { int32Max, integer, modelField, requiredInteger } from "../bounded.js";
import { maxTokensField, samplingFields, streamFields } from "../openai-sampling.js";

/** Elements of a prompt array: token ids, or prompts. */
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
  .describe("One text; up to 128 texts; the token ids of one prompt; those of up to 128.");

export const completionRequestSchema = z
  .object({
    model: modelField,
    prompt,
    suffix: z.string().nullish().describe("What comes behind the gap that the model fills, where it can."),
    parse_special: z
      .boolean()
      .nullish()
      .describe("Extension: control tokens that are written in the prompt are read as such."),
    max_tokens: maxTokensField.meta({ default: 16 }),
    n: integer(1, 128).meta({ default: 1, description: "Choices for each prompt." }),
    best_of: integer(1, 20).describe("Choices that are drawn of each prompt; the `n` likeliest are told."),
    echo: z.boolean().nullish().describe("Whether the text begins with the prompt."),
    logprobs: z
      .union([z.boolean(), requiredInteger(0, 5)])
      .nullish()
      .describe("How many of the likeliest tokens are told; `true` is 1."),
    ...streamFields,
    ...samplingFields,
  })
  .meta({ id: "CompletionRequest" });

export type CompletionRequestBody = z.infer<typeof completionRequestSchema>;
