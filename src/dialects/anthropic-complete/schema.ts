/**
 * Schema of the request of POST /v1/complete. `null` means absent for every optional field. Other fields (metadata, ...) do
 * not change the answer and are ignored.
 */
import { z } from "zod";
import { formatFields } from "../generation/format-fields.js";
import { reasoningFields } from "../generation/reasoning-fields.js";
import { samplingFields } from "../generation/sampling.js";
import {
  int32Max,
  boundedArray,
  modelIdField,
  requiredInteger,
  stopSequenceField,
} from "../request-fields.js";

const stopSequencesMax = 16;

export const completeRequestSchema = z
  .object({
    model: modelIdField,
    prompt: z
      .string()
      .describe('Turns that begin with "\\n\\nHuman:" or "\\n\\nAssistant:"; the last is the assistant\'s.'),
    max_tokens_to_sample: requiredInteger(-1, int32Max).describe(
      "Maximum tokens of the text; 0 evaluates the prompt alone; -1: as the context holds.",
    ),
    stop_sequences: boundedArray(stopSequenceField, stopSequencesMax)
      .nullish()
      .describe('The answer ends before any of these sequences and before "\\n\\nHuman:".'),
    ...samplingFields,
    ...formatFields,
    ...reasoningFields,
    stream: z.boolean().nullish().describe("Whether the answer is streamed as server-sent events."),
  })
  .meta({ id: "TextCompletionRequest" });
