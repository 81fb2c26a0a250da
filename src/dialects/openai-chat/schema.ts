/**
 * The request of POST /v1/chat/completions as it is on the wire: OpenAI's and xAI's fields together. `null` means absent
 * for every optional field. Fields that are not here (store, metadata, user, service_tier, prediction, verbosity, ...) change
 * nothing in the answer and are dropped unread. What is here but not served yet is refused by parse.ts.
 */
import { z } from "zod";
import { functionName, integer, list } from "../bounded.js";
import { maxTokensField, samplingFields } from "../openai-sampling.js";

const messagesMax = 10_000;
const partsMax = 10_000;
const toolsMax = 1_000;
const callsMax = 1_000;

const textPart = z.object({ type: z.literal("text"), text: z.string() });
const refusalPart = z.object({ type: z.literal("refusal"), refusal: z.string() });
const imagePart = z.object({
  type: z.literal("image_url"),
  image_url: z.object({ url: z.string(), detail: z.enum(["auto", "low", "high"]).nullish() }),
});
const part = z.discriminatedUnion("type", [
  textPart,
  refusalPart,
  imagePart,
  z.object({ type: z.literal("file") }),
  z.object({ type: z.literal("text_file") }),
  z.object({ type: z.literal("input_audio") }),
]);
const content = z.union([z.string(), list(part, partsMax)]);
const name = z.string().nullish();

const toolCall = z.object({
  id: z.string(),
  type: z.literal("function").nullish(),
  function: z.object({ name: z.string(), arguments: z.string() }),
});

const message = z.discriminatedUnion("role", [
  z.object({ role: z.literal("system"), content, name }),
  z.object({ role: z.literal("developer"), content, name }),
  z.object({ role: z.literal("user"), content, name }),
  z.object({
    role: z.literal("assistant"),
    content: content.nullish(),
    name,
    reasoning_content: z.string().nullish(),
    refusal: z.string().nullish(),
    tool_calls: list(toolCall, callsMax).nullish(),
    function_call: z.object({ name: z.string(), arguments: z.string() }).nullish(),
  }),
  z.object({ role: z.literal("tool"), content, tool_call_id: z.string().nullish() }),
  z.object({ role: z.literal("function"), content, name }),
]);

const functionSchema = z.object({
  name: functionName,
  description: z.string().nullish(),
  parameters: z.record(z.string(), z.unknown()).nullish(),
});
const tool = z.discriminatedUnion("type", [
  z.object({ type: z.literal("function"), function: functionSchema }),
  z.object({ type: z.literal("live_search") }),
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
      schema: z.record(z.string(), z.unknown()).nullish(),
    }),
  }),
]);

export const chatRequestSchema = z.object({
  model: z.string().min(1, "must not be empty"),
  messages: list(message, messagesMax).refine((messages) => messages.length > 0, "must not be empty"),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  deferred: z.boolean().nullish(),
  max_completion_tokens: maxTokensField,
  max_tokens: maxTokensField,
  n: integer(1, 128),
  ...samplingFields,
  logprobs: z.boolean().nullish(),
  top_logprobs: integer(0, 20),
  tools: list(tool, toolsMax).nullish(),
  tool_choice: toolChoice.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  /** What one widespread client calls `parallel_tool_calls`. */
  parallel_function_calling: z.boolean().nullish(),
  functions: list(functionSchema, toolsMax).nullish(),
  function_call: z.union([z.enum(["none", "auto"]), z.object({ name: z.string() })]).nullish(),
  response_format: responseFormat.nullish(),
  reasoning_effort: z.enum(["none", "minimal", "low", "medium", "high", "xhigh", "max"]).nullish(),
  search_parameters: z.object({ mode: z.enum(["off", "on", "auto"]).nullish() }).nullish(),
  web_search_options: z.record(z.string(), z.unknown()).nullish(),
  modalities: list(z.enum(["text", "audio"]), 8).nullish(),
});

export type ChatRequestBody = z.infer<typeof chatRequestSchema>;
export type ChatMessageBody = ChatRequestBody["messages"][number];
export type ContentBody = ChatMessageBody["content"];
