/**
 * The request of POST /v1/complete as it is on the wire. `null` means absent for every optional field; fields that are not
 * here (metadata, ...) change nothing in the answer and are dropped unread.
 */
import { z } from "zod";
import { int32Max, integer, list, number, requiredInteger, stopText } from "../bounded.js";

const stopSequencesMax = 16;

export const completeRequestSchema = z.object({
  model: z.string().min(1, "must not be empty"),
  prompt: z.string(),
  max_tokens_to_sample: requiredInteger(1, int32Max, `must be at least 1 and at most ${int32Max}`),
  stop_sequences: list(stopText, stopSequencesMax).nullish(),
  temperature: number(0, 2),
  top_p: number(0, 1),
  /** 0 and -1: no such bound. */
  top_k: integer(-1, int32Max),
  stream: z.boolean().nullish(),
});
