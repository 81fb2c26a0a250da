/**
 * The request of POST /v1/chat/completions as it is on the wire: OpenAI's and xAI's fields together. `null` means absent
 * for every optional field. Fields that are not here (store, metadata, user, service_tier, prediction, verbosity, ...) change
 * nothing in the answer and are dropped unread. What is here but not served yet is refused by parse.ts.
 */
import { z } from "zod";

const messagesMax = 10_000;
const partsMax = 10_000;
const toolsMax = 1_000;
const callsMax = 1_000;
const functionNameCharsMax = 256;
const logitBiasesMax = 1_024;
const stopsMax = 4;
const stopCharsMax = 256;
const int32Max = 2 ** 31 - 1;
const int64Max = 2 ** 63;

/** Elements are looked at only when their number is within bounds, so that a flood of them costs nothing. */
function list<T extends z.ZodType>(element: T, max: number) {
  return z.array(z.unknown()).max(max, `must hold at most ${max} elements`).pipe(z.array(element));
}

function number(min: number, max: number) {
  const range = `must be between ${min} and ${max}`;
  return z.number().min(min, range).max(max, range).nullish();
}

function integer(min: number, max: number, range = `must be between ${min} and ${max}`) {
  return z
    .number()
    .refine(Number.isInteger, { params: { type: "integer" }, abort: true })
    .min(min, range)
    .max(max, range)
    .nullish();
}

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

/** Longer than OpenAI's 64 characters, and any script: what a template can write and a parser read back. */
const functionName = z
  .string()
  .min(1, "must not be empty")
  .max(functionNameCharsMax, `must be at most ${functionNameCharsMax} characters long`)
  .refine(
    (name) => !/\p{Surrogate}|\p{Cc}/u.test(name),
    "must hold no control characters and no half surrogates",
  );

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

const stopText = z
  .string()
  .min(1, "must not be empty")
  .max(stopCharsMax, `must be at most ${stopCharsMax} characters long`);

const maxTokens = integer(1, int32Max, `must be at least 1 and at most ${int32Max}`);

export const chatRequestSchema = z.object({
  model: z.string().min(1, "must not be empty"),
  messages: list(message, messagesMax).refine((messages) => messages.length > 0, "must not be empty"),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  deferred: z.boolean().nullish(),
  max_completion_tokens: maxTokens,
  max_tokens: maxTokens,
  temperature: number(0, 2),
  top_p: number(0, 1),
  n: integer(1, 128),
  stop: z.union([stopText, list(stopText, stopsMax)]).nullish(),
  /** Extension: runs alone and from an empty cache. */
  deterministic: z.boolean().nullish(),
  seed: integer(-int64Max, int64Max, "must fit into 64 bits"),
  frequency_penalty: number(-2, 2),
  presence_penalty: number(-2, 2),
  logprobs: z.boolean().nullish(),
  top_logprobs: integer(0, 20),
  logit_bias: z
    .record(
      z.string().regex(/^\d{1,10}$/, "must have token ids as its keys"),
      z.number().min(-100, "must be between -100 and 100").max(100, "must be between -100 and 100"),
    )
    .refine(
      (bias) => Object.keys(bias).length <= logitBiasesMax,
      `must hold at most ${logitBiasesMax} tokens`,
    )
    .nullish(),
  /** Extension: only so many of the likeliest tokens are drawn from. */
  top_k: integer(1, 1_000),
  /** Extension: tokens less likely than this share of the likeliest one are not drawn. */
  min_p: number(0, 1),
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
