/** Schemas of the response of POST /v1/completions. The chunks of a stream are the same object with parts of the text. */
import { z } from "zod";
import { openAiUsage } from "../openai-answer.js";
import { countField, responseObject, responseArray, unixSecondsField } from "../response-fields.js";

const finishReason = z.enum(["stop", "length", "content_filter"]);

const logprobs = responseObject({
  tokens: responseArray(z.string()),
  token_logprobs: responseArray(z.number()),
  top_logprobs: responseArray(z.record(z.string(), z.number()).readonly()).describe(
    "The most likely tokens at each position.",
  ),
  text_offset: responseArray(countField("Offset in characters.")).describe(
    "Where each token begins in the text.",
  ),
}).meta({
  id: "CompletionLogprobs",
  description: "Log probabilities of the tokens of the text, as four parallel lists.",
});

const choice = responseObject({
  index: countField("Index of the choice."),
  text: z.string(),
  logprobs: logprobs.nullable(),
  finish_reason: finishReason.nullable().describe("Null until the text ends."),
}).meta({ id: "CompletionChoice", description: "A completion of one prompt, or a part of it." });

export const completion = responseObject({
  id: z.string(),
  object: z.literal("text_completion"),
  created: unixSecondsField,
  model: z.string().describe("Id of the model, even if the request named an alias."),
  choices: responseArray(choice).describe("The choices of the first prompt, then the choices of the next."),
  usage: openAiUsage
    .optional()
    .describe("In a stream only in the last chunk, if `stream_options.include_usage` is set."),
  system_fingerprint: z.string().describe("Identifies the model and the engine that generated the answer."),
}).meta({ id: "Completion", description: "A completion, or one chunk of a streamed completion." });

export type CompletionFinishReason = z.infer<typeof finishReason>;
export type CompletionLogprobs = z.infer<typeof logprobs>;
export type CompletionChoice = z.infer<typeof choice>;
export type Completion = z.infer<typeof completion>;
