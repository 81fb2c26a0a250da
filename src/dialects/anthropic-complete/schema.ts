/**
 * Schema of the request of POST /v1/complete. `null` means absent for every optional field. Other fields (metadata, ...) do
 * not change the answer and are ignored.
 */
import { z } from "zod";
import {
  int32Max,
  optionalInteger,
  boundedArray,
  modelIdField,
  optionalNumber,
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
    temperature: optionalNumber(0, 2).meta({ default: 1 }),
    top_p: optionalNumber(0, 1).meta({ default: 1 }),
    top_k: optionalInteger(-1, int32Max).describe(
      "Samples only from this many of the most likely tokens; 0 and -1 mean no limit.",
    ),
    stream: z.boolean().nullish().describe("Whether the answer is streamed as server-sent events."),
  })
  .meta({ id: "TextCompletionRequest" });
