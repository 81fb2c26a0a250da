/**
 * The request of POST /v1/completions as it is on the wire: OpenAI's and xAI's fields together. `null` means absent for every
 * optional field; fields that are not here (user, ...) change nothing in the answer and are dropped unread. The elements of a
 * prompt array are read by prompts.ts.
 */
import { z } from "zod";
import { integer, requiredInteger } from "../bounded.js";
import { maxTokensField, samplingFields } from "../openai-sampling.js";

/** Elements of a prompt array: token ids, or prompts. */
const promptElementsMax = 1_048_576;

export const completionRequestSchema = z.object({
  model: z.string().min(1, "must not be empty"),
  prompt: z.union([
    z.string(),
    z.array(z.unknown()).max(promptElementsMax, `must hold at most ${promptElementsMax} elements`),
  ]),
  suffix: z.string().nullish(),
  /** Extension: control tokens that are written in the prompt are read as such. */
  parse_special: z.boolean().nullish(),
  max_tokens: maxTokensField,
  n: integer(1, 128),
  best_of: integer(1, 20),
  echo: z.boolean().nullish(),
  logprobs: z.union([z.boolean(), requiredInteger(0, 5)]).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  ...samplingFields,
});

export type CompletionRequestBody = z.infer<typeof completionRequestSchema>;
