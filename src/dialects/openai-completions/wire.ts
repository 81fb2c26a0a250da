/** The shapes of a completion on the wire. A stream's chunks are the same object with pieces of the text. */
import { z } from "zod";
import { openAiUsage } from "../openai-usage.js";
import { count, shape, shapes, unixSeconds } from "../shape.js";

const finishReason = z.enum(["stop", "length"]);

const logprobs = shape({
  tokens: shapes(z.string()),
  token_logprobs: shapes(z.number()),
  top_logprobs: shapes(z.record(z.string(), z.number()).readonly()).describe("The likeliest tokens of each."),
  text_offset: shapes(count("Characters.")).describe("Where each begins in the text."),
}).meta({ id: "CompletionLogprobs", description: "Of each token of the text, in four lists." });

const choice = shape({
  index: count("The choice's place among the choices."),
  text: z.string(),
  logprobs: logprobs.nullable(),
  finish_reason: finishReason.nullable().describe("Null while the text goes on."),
}).meta({ id: "CompletionChoice", description: "A completion of one prompt, or a piece of it." });

export const completion = shape({
  id: z.string(),
  object: z.literal("text_completion"),
  created: unixSeconds,
  model: z.string().describe("The model's id, whatever alias it was asked for by."),
  choices: shapes(choice).describe("Those of the first prompt, then those of the next."),
  usage: openAiUsage
    .exactOptional()
    .describe("In a stream only with `stream_options.include_usage`, at its end."),
  system_fingerprint: z.string().describe("What made the answer: model and engine."),
}).meta({ id: "Completion", description: "A completion, or a piece of one that is streamed." });

export type CompletionFinishReason = z.infer<typeof finishReason>;
export type CompletionLogprobs = z.infer<typeof logprobs>;
export type CompletionChoice = z.infer<typeof choice>;
export type Completion = z.infer<typeof completion>;
