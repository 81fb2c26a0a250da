/**
 * The request of POST /v1/chat/completions as it is on the wire: OpenAI's and xAI's fields together. `null` means absent
 * for every optional field. Fields that are not here (store, metadata, user, service_tier, prediction, verbosity, ...) change
 * nothing in the answer and are dropped unread. What is here but not served yet is refused by parse.ts.
 */
import { z } from "zod";
import { functionName, integer, list, modelField } from "../bounded.js";
import { effortWord } from "../openai-effort.js";
import { maxTokensField, samplingFields, streamFields } from "../openai-sampling.js";

const messagesMax = 10_000;
const partsMax = 10_000;
const toolsMax = 1_000;
const callsMax = 1_000;

const textPart = z.object({ type: z.literal("text"), text: z.string() });
const refusalPart = z.object({ type: z.literal("refusal"), refusal: z.string() });
const detail = z.enum(["auto", "low", "high"]).nullish();
const imagePart = z.object({
  type: z.literal("image_url"),
  image_url: z.object({
    url: z.string().describe("`data:` with PNG, JPEG, WebP or GIF; http(s) where the operator allows it."),
    detail: detail.describe("`high` looks closer, at what is small and at text."),
  }),
  detail: detail.describe("xAI's place for it."),
});
const part = z
  .discriminatedUnion("type", [
    textPart,
    refusalPart,
    imagePart,
    z.object({ type: z.literal("file") }),
    z.object({ type: z.literal("text_file") }),
    z.object({ type: z.literal("input_audio") }),
  ])
  .meta({
    id: "ChatContentPart",
    description: "Text and images are read; files and audio are refused.",
  });
const content = z.union([z.string(), list(part, partsMax)]);
const name = z.string().nullish();

const calledFunction = z.object({ name: z.string(), arguments: z.string().describe("JSON, as text.") });
const toolCall = z.object({
  id: z.string(),
  type: z.literal("function").nullish(),
  function: calledFunction,
});

const message = z
  .discriminatedUnion("role", [
    z.object({ role: z.literal("system"), content, name }),
    z.object({ role: z.literal("developer"), content, name }),
    z.object({ role: z.literal("user"), content, name }),
    z.object({
      role: z.literal("assistant"),
      content: content.nullish(),
      name,
      reasoning_content: z.string().nullish().describe("What the model thought before this answer."),
      refusal: z.string().nullish(),
      tool_calls: list(toolCall, callsMax).nullish(),
      function_call: calledFunction.nullish().describe("The older form of `tool_calls`."),
    }),
    z.object({
      role: z.literal("tool"),
      content,
      tool_call_id: z.string().nullish().describe("The call that this is the result of."),
    }),
    z.object({ role: z.literal("function"), content, name }),
  ])
  .meta({ id: "ChatMessage", description: "One message of a conversation." });

const functionSchema = z.object({
  name: functionName,
  description: z.string().nullish(),
  parameters: z.record(z.string(), z.unknown()).nullish().describe("JSON Schema of the arguments."),
});
const tool = z.discriminatedUnion("type", [
  z.object({ type: z.literal("function"), function: functionSchema }),
  z.object({ type: z.literal("live_search") }).describe("Not served: refused."),
]);
const namedFunction = z.object({ type: z.literal("function"), function: z.object({ name: z.string() }) });
const allowedTools = z.object({
  type: z.literal("allowed_tools"),
  allowed_tools: z.object({ mode: z.enum(["auto", "required"]), tools: list(namedFunction, toolsMax) }),
});
const toolChoice = z.union([
  z.enum(["none", "auto", "required"]),
  z.discriminatedUnion("type", [namedFunction, allowedTools]),
]);

const responseFormat = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text") }),
  z.object({ type: z.literal("json_object") }),
  z.object({
    type: z.literal("json_schema"),
    json_schema: z.object({
      name: z.string().nullish(),
      schema: z.record(z.string(), z.unknown()).nullish().describe("JSON Schema, drafts 4 to 2020-12."),
    }),
  }),
]);

export const chatRequestSchema = z
  .object({
    model: modelField,
    messages: list(message, messagesMax)
      .refine((messages) => messages.length > 0, "must not be empty")
      .meta({ minItems: 1, description: "The conversation so far." }),
    ...streamFields,
    deferred: z.boolean().nullish(),
    max_completion_tokens: maxTokensField.describe(
      "Bound on the answer's text and calls; reasoning is not counted. Without it the context is the bound.",
    ),
    max_tokens: maxTokensField.describe("The older name of `max_completion_tokens`, which wins over it."),
    n: integer(1, 128).meta({ default: 1, description: "Choices." }),
    ...samplingFields,
    logprobs: z.boolean().nullish().describe("Whether log probabilities are told."),
    top_logprobs: integer(0, 20).describe(
      "How many of the likeliest tokens are told; needs `logprobs: true`.",
    ),
    tools: list(tool, toolsMax).nullish().describe("What the model may call."),
    tool_choice: toolChoice
      .nullish()
      .describe("Whether and what it calls. Without it: `auto` where there are tools, else `none`."),
    parallel_tool_calls: z.boolean().nullish().meta({
      default: true,
      description: "Whether one answer may hold several calls.",
    }),
    parallel_function_calling: z
      .boolean()
      .nullish()
      .describe("What one widespread client calls `parallel_tool_calls`."),
    functions: list(functionSchema, toolsMax).nullish().describe("The older form of `tools`."),
    function_call: z
      .union([z.enum(["none", "auto"]), z.object({ name: z.string() })])
      .nullish()
      .describe("The older form of `tool_choice`."),
    response_format: responseFormat.nullish().describe("What the answer's text is held to by a grammar."),
    reasoning_effort: effortWord
      .nullish()
      .describe("How long a model that can reason does. Without it: as the model likes."),
    search_parameters: z
      .object({ mode: z.enum(["off", "on", "auto"]).nullish().describe("`on` is refused.") })
      .nullish()
      .describe("There is no live search here."),
    web_search_options: z.record(z.string(), z.unknown()).nullish().describe("Not served: refused."),
    modalities: list(z.enum(["text", "audio"]), 8)
      .nullish()
      .describe("Audio is refused."),
  })
  .meta({ id: "ChatCompletionRequest" });

export type ChatRequestBody = z.infer<typeof chatRequestSchema>;
export type ChatMessageBody = ChatRequestBody["messages"][number];
export type ContentBody = ChatMessageBody["content"];
