/** The shapes of a chat answer on the wire, streamed and whole. */
import { z } from "zod";
import { openAiUsage } from "../openai-usage.js";
import { count, shape, shapes, unixSeconds } from "../shape.js";

const finishReason = z.enum(["stop", "length", "tool_calls", "function_call"]);

/** Its arguments grow while they are written. */
const calledFunction = z.object({
  name: z.string(),
  arguments: z.string().describe("JSON, as text. Cut short where `finish_reason` is `length`."),
});

const toolCall = { id: z.string(), type: z.literal("function"), function: calledFunction };
const streamedToolCall = shape({ index: count("The call's place among the calls."), ...toolCall }).meta({
  id: "ChatCompletionChunkToolCall",
  description: "A tool call, whole in one chunk.",
});

const token = {
  token: z.string(),
  logprob: z.number(),
  bytes: shapes(count("A byte.")).describe("The token's bytes; a token may be part of a character."),
};
const tokenLogprob = shape(token);
const logprobs = shape({
  content: shapes(shape({ ...token, top_logprobs: shapes(tokenLogprob).describe("The likeliest tokens.") })),
  refusal: z.null(),
}).meta({ id: "ChatCompletionLogprobs", description: "The log probabilities of an answer's tokens." });

const delta = shape({
  role: z.literal("assistant").exactOptional(),
  content: z.string().exactOptional(),
  reasoning_content: z.string().exactOptional(),
  tool_calls: shapes(streamedToolCall).exactOptional(),
  function_call: calledFunction.exactOptional().describe("The call, where `functions` were given."),
});

const every = {
  created: unixSeconds,
  model: z.string().describe("The model's id, whatever alias it was asked for by."),
  system_fingerprint: z.string().describe("What made the answer: model and engine."),
};

export const chatChunk = shape({
  id: z.string(),
  object: z.literal("chat.completion.chunk"),
  choices: shapes(
    shape({
      index: count("The choice's place among the choices."),
      delta,
      logprobs: logprobs.nullable(),
      finish_reason: finishReason.nullable().describe("Null until the last chunk of the choice."),
    }),
  ).describe("Empty in the chunk that carries the usage."),
  usage: openAiUsage.exactOptional().describe("In the last chunk, with `stream_options.include_usage`."),
  ...every,
}).meta({ id: "ChatCompletionChunk", description: "A piece of a streamed answer." });

export const chatCompletion = shape({
  id: z.string(),
  object: z.literal("chat.completion"),
  choices: shapes(
    shape({
      index: count("The choice's place among the choices."),
      message: shape({
        role: z.literal("assistant"),
        content: z.string(),
        reasoning_content: z.string().exactOptional().describe("What the model thought before it answered."),
        tool_calls: shapes(shape(toolCall)).exactOptional(),
        function_call: calledFunction.exactOptional().describe("The call, where `functions` were given."),
        refusal: z.null(),
      }),
      logprobs: logprobs.nullable(),
      finish_reason: finishReason.nullable(),
    }),
  ),
  usage: openAiUsage,
  service_tier: z.literal("default"),
  ...every,
}).meta({ id: "ChatCompletion", description: "An answer." });

export const deferredCompletion = shape({
  request_id: z.string().describe("For GET /v1/chat/deferred-completion/{request_id}."),
}).meta({ id: "DeferredCompletion", description: "What `deferred: true` is answered with." });

export const pendingCompletion = shape({ request_id: z.string(), status: z.literal("pending") }).meta({
  id: "PendingCompletion",
});

export type ChatFinishReason = z.infer<typeof finishReason>;
export type ChatToolCall = z.infer<typeof streamedToolCall>;
export type ChatTokenLogprob = z.infer<typeof tokenLogprob>;
export type ChatLogprobs = z.infer<typeof logprobs>;
export type ChatDelta = z.infer<typeof delta>;
export type ChatChunk = z.infer<typeof chatChunk>;
export type ChatCompletion = z.infer<typeof chatCompletion>;
