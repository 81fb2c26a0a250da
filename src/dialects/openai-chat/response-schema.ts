/** Schemas of the responses of POST /v1/chat/completions, streamed and not streamed. */
import { z } from "zod";
import { openAiUsage } from "../openai-answer.js";
import { countField, responseObject, responseArray, unixSecondsField } from "../response-fields.js";

const finishReason = z.enum(["stop", "length", "tool_calls", "content_filter", "function_call"]);

/** Mutable: a streamed call's arguments are appended until they are complete. */
const calledFunction = z.object({
  name: z.string(),
  arguments: z.string().describe("JSON text. Truncated if `finish_reason` is `length`."),
});

const functionCall = { id: z.string(), type: z.literal("function"), function: calledFunction };
const customCall = {
  id: z.string(),
  type: z.literal("custom"),
  custom: responseObject({ name: z.string(), input: z.string() }),
};
const toolCall = z.discriminatedUnion("type", [responseObject(functionCall), responseObject(customCall)]);
const index = countField("Index of the call.");
const streamedToolCall = z
  .discriminatedUnion("type", [
    responseObject({ index, ...functionCall }),
    responseObject({ index, ...customCall }),
  ])
  .meta({
    id: "ChatCompletionChunkToolCall",
    description: "A complete tool call, or, with `tool_stream`, the beginning of one.",
  });
const callPiece = responseObject({
  index,
  function: responseObject({ arguments: z.string().describe("A piece of the JSON text.") }),
}).meta({ id: "ChatCompletionChunkToolCallPiece", description: "More of a call, with `tool_stream`." });

const token = {
  token: z.string(),
  logprob: z.number(),
  bytes: responseArray(countField("A byte.")).describe(
    "UTF-8 bytes of the token; a token may be part of a character.",
  ),
};
const tokenLogprob = responseObject(token);
const logprobs = responseObject({
  content: responseArray(
    responseObject({
      ...token,
      top_logprobs: responseArray(tokenLogprob).describe("The most likely tokens at this position."),
    }),
  ),
  refusal: z.null(),
}).meta({ id: "ChatCompletionLogprobs", description: "Log probabilities of the tokens of an answer." });

const delta = responseObject({
  role: z.literal("assistant").optional(),
  content: z.string().optional(),
  reasoning_content: z.string().optional(),
  reasoning: z.string().optional(),
  tool_calls: responseArray(z.union([streamedToolCall, callPiece])).optional(),
  function_call: calledFunction.optional().describe("The call, if the request used `functions`."),
});

const commonFields = {
  created: unixSecondsField,
  model: z.string().describe("Id of the model, even if the request named an alias."),
  system_fingerprint: z.string().describe("Identifies the model and the engine that generated the answer."),
};

export const chatChunk = responseObject({
  id: z.string(),
  object: z.literal("chat.completion.chunk"),
  choices: responseArray(
    responseObject({
      index: countField("Index of the choice."),
      delta,
      logprobs: logprobs.nullable(),
      finish_reason: finishReason.nullable().describe("Null except in the last chunk of the choice."),
    }),
  ).describe("Empty in the chunk with the usage."),
  usage: openAiUsage.optional().describe("Only in the last chunk, if `stream_options.include_usage` is set."),
  ...commonFields,
}).meta({ id: "ChatCompletionChunk", description: "One chunk of a streamed answer." });

export const chatCompletion = responseObject({
  id: z.string(),
  object: z.literal("chat.completion"),
  choices: responseArray(
    responseObject({
      index: countField("Index of the choice."),
      message: responseObject({
        role: z.literal("assistant"),
        content: z.string(),
        reasoning_content: z.string().optional().describe("The model's reasoning before the answer."),
        reasoning: z.string().optional().describe("The same, under the name that other servers give it."),
        tool_calls: responseArray(toolCall).optional(),
        function_call: calledFunction.optional().describe("The call, if the request used `functions`."),
        refusal: z.null(),
      }),
      logprobs: logprobs.nullable(),
      finish_reason: finishReason.nullable(),
    }),
  ),
  usage: openAiUsage,
  service_tier: z.literal("default"),
  ...commonFields,
}).meta({ id: "ChatCompletion", description: "A complete answer." });

export const deferredCompletion = responseObject({
  request_id: z.string().describe("Use with GET /v1/chat/deferred-completion/{request_id}."),
}).meta({ id: "DeferredCompletion", description: "Response to a request with `deferred: true`." });

export const pendingCompletion = responseObject({
  request_id: z.string(),
  status: z.literal("pending"),
}).meta({
  id: "PendingCompletion",
});

export type ChatFinishReason = z.infer<typeof finishReason>;
export type ChatToolCall = z.infer<typeof streamedToolCall>;
export type ChatTokenLogprob = z.infer<typeof tokenLogprob>;
export type ChatLogprobs = z.infer<typeof logprobs>;
export type ChatDelta = z.infer<typeof delta>;
export type ChatChunk = z.infer<typeof chatChunk>;
export type ChatCompletion = z.infer<typeof chatCompletion>;
