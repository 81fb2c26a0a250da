/**
 * The request of POST /v1/complete as it is on the wire. `null` means absent for every optional field; fields that are not
 * here (metadata, ...) change nothing in the answer and are dropped unread.
 */
import { z } from "zod";
import { int32Max, integer, list, modelField, number, requiredInteger, stopText } from "../bounded.js";

const stopSequencesMax = 16;

export const completeRequestSchema = z
  .object({
    model: modelField,
    prompt: z
      .string()
      .describe('Turns, each begun by "\\n\\nHuman:" or "\\n\\nAssistant:"; the last is the assistant\'s.'),
    max_tokens_to_sample: requiredInteger(1, int32Max, `must be at least 1 and at most ${int32Max}`),
    stop_sequences: list(stopText, stopSequencesMax)
      .nullish()
      .describe('The answer ends before any of these texts, and before "\\n\\nHuman:".'),
    temperature: number(0, 2).meta({ default: 1 }),
    top_p: number(0, 1).meta({ default: 1 }),
    top_k: integer(-1, int32Max).describe(
      "Only so many of the likeliest tokens are drawn from; 0 and -1: no bound.",
    ),
    stream: z.boolean().nullish().describe("Whether the answer comes as server-sent events, piece by piece."),
  })
  .meta({ id: "TextCompletionRequest" });
