/**
 * Schema of the request of POST /v1/chat/completions, with the fields of OpenAI and xAI. `null` means absent for every
 * optional field. Other fields (web_search_options, prediction, verbosity, ...) do not change the answer and
 * are ignored. Fields that are declared here but not supported are rejected by unsupported-fields.ts.
 */
import { z } from "zod";
import {
  jsonObjectField,
  functionNameField,
  metadataField,
  optionalInteger,
  boundedArray,
  modelIdField,
} from "../request-fields.js";
import { nestedTextFormatSchema, textToolFields } from "../client-tools/text-input.js";
import { cacheKeyField, labelField, serviceTierField } from "../run-labels.js";
import { reasoningEffortField } from "../openai-effort.js";
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
    url: z.string().describe("`data:` URL with PNG, JPEG, WebP or GIF; http(s) if the operator allows it."),
    detail: detail.describe("`high` analyzes small details and text more closely."),
  }),
  detail: detail.describe("xAI's position of the field."),
});
const part = z
  .discriminatedUnion("type", [
    textPart,
    refusalPart,
    imagePart,
    z.object({
      type: z.literal("file"),
      file: z
        .object({
          file_data: z
            .string()
            .nullish()
            .describe("A text file in UTF-8 or a PDF file, as a data URL or in base64."),
          file_id: z.string().nullish().describe("An uploaded file of the key's team."),
          filename: z.string().nullish(),
        })
        .nullish(),
    }),
    z.object({ type: z.literal("text_file") }),
    z.object({ type: z.literal("input_audio") }),
  ])
  .meta({
    id: "ChatContentPart",
    description:
      "Text, images and text files are supported; uploaded files, other files and audio are rejected.",
  });
const content = z.union([z.string(), boundedArray(part, partsMax)]);
const name = z.string().nullish();

const calledFunction = z.object({ name: z.string(), arguments: z.string().describe("JSON text.") });
const functionCall = z.object({
  id: z.string(),
  type: z.literal("function").nullish(),
  function: calledFunction,
});
const customCall = z.object({
  id: z.string(),
  type: z.literal("custom"),
  custom: z.object({ name: z.string(), input: z.string() }),
});
const toolCall = z.union([functionCall, customCall]);

const message = z
  .discriminatedUnion("role", [
    z.object({ role: z.literal("system"), content, name }),
    z.object({ role: z.literal("developer"), content, name }),
    z.object({ role: z.literal("user"), content, name }),
    z.object({
      role: z.literal("assistant"),
      content: content.nullish(),
      name,
      reasoning_content: z.string().nullish().describe("The model's reasoning before this answer."),
      refusal: z.string().nullish(),
      tool_calls: boundedArray(toolCall, callsMax).nullish(),
      function_call: calledFunction.nullish().describe("The older form of `tool_calls`."),
    }),
    z.object({
      role: z.literal("tool"),
      content,
      tool_call_id: z.string().nullish().describe("Id of the call that this is the result of."),
    }),
    z.object({ role: z.literal("function"), content, name }),
  ])
  .meta({ id: "ChatMessage", description: "One message of a conversation." });

const functionSchema = z.object({
  name: functionNameField,
  description: z.string().nullish(),
  parameters: jsonObjectField.nullish().describe("JSON Schema of the arguments."),
});
const tool = z.discriminatedUnion("type", [
  z.object({ type: z.literal("function"), function: functionSchema }),
  z.object({
    type: z.literal("custom"),
    custom: z.object({
      ...textToolFields,
      format: nestedTextFormatSchema.nullish().describe("Format of the input, which is a text."),
    }),
  }),
  z.object({ type: z.literal("live_search") }).describe("Not supported: rejected."),
]);
const namedFunction = z.object({ type: z.literal("function"), function: z.object({ name: z.string() }) });
const namedCustom = z.object({ type: z.literal("custom"), custom: z.object({ name: z.string() }) });
const allowedTools = z.object({
  type: z.literal("allowed_tools"),
  allowed_tools: z.object({
    mode: z.enum(["auto", "required"]),
    tools: boundedArray(z.discriminatedUnion("type", [namedFunction, namedCustom]), toolsMax),
  }),
});
const toolChoice = z.union([
  z.enum(["none", "auto", "required"]),
  z.discriminatedUnion("type", [namedFunction, namedCustom, allowedTools]),
]);

const jsonSchema = jsonObjectField.nullish();
const namedSchema = z.object({
  name: z.string().nullish(),
  schema: jsonSchema.describe("JSON Schema, drafts 4 to 2020-12."),
});
const outerSchema = jsonSchema.describe("Another position of the schema, used by several clients.");
const responseFormat = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text") }),
  z.object({ type: z.literal("json_object"), schema: outerSchema }),
  z.object({
    type: z.literal("json_schema"),
    json_schema: namedSchema.nullish().describe("Required unless `schema` is present."),
    schema: outerSchema,
  }),
]);

export const chatRequestSchema = z
  .object({
    model: modelIdField,
    messages: boundedArray(message, messagesMax)
      .refine((messages) => messages.length > 0, "must not be empty")
      .meta({ minItems: 1, description: "The conversation so far." }),
    ...streamFields,
    deferred: z.boolean().nullish(),
    store: z
      .boolean()
      .nullish()
      .describe(
        "With true, the completion is stored for 30 days. With false, nothing of the request is kept on disk after the answer, " +
          "the prompt cache included.",
      ),
    user: labelField.describe("Stored with the run."),
    safety_identifier: labelField.describe("Stored with the run."),
    prompt_cache_key: cacheKeyField,
    service_tier: serviceTierField,
    metadata: metadataField.nullish().describe("Stored with the completion; list requests can filter by it."),
    max_completion_tokens: maxTokensField.describe(
      "Maximum tokens of the answer's text and tool calls; reasoning is not counted. Default: limited by the context.",
    ),
    max_tokens: maxTokensField.describe(
      "Maximum tokens of the answer, including reasoning. `max_completion_tokens` takes precedence.",
    ),
    n: optionalInteger(1, 128).meta({ default: 1, description: "Number of choices." }),
    ...samplingFields,
    logprobs: z.boolean().nullish().describe("Whether log probabilities are returned."),
    top_logprobs: optionalInteger(0, 20).describe(
      "How many of the most likely tokens are returned; requires `logprobs: true`.",
    ),
    tools: boundedArray(tool, toolsMax).nullish().describe("Tools that the model may call."),
    tool_choice: toolChoice
      .nullish()
      .describe(
        "Whether the model calls a tool, and which. Default: `auto` if there are tools, otherwise `none`.",
      ),
    parallel_tool_calls: z.boolean().nullish().meta({
      default: true,
      description: "Whether one answer may contain several calls.",
    }),
    parallel_function_calling: z
      .boolean()
      .nullish()
      .describe("Another name of `parallel_tool_calls`, sent by a common client."),
    functions: boundedArray(functionSchema, toolsMax).nullish().describe("The older form of `tools`."),
    function_call: z
      .union([z.enum(["none", "auto"]), z.object({ name: z.string() })])
      .nullish()
      .describe("The older form of `tool_choice`."),
    response_format: responseFormat.nullish().describe("Format of the answer's text, enforced by a grammar."),
    reasoning_effort: reasoningEffortField
      .nullish()
      .describe("How much a reasoning model reasons. Default: decided by the model."),
    search_parameters: z
      .object({ mode: z.enum(["off", "on", "auto"]).nullish().describe("`on` is rejected.") })
      .nullish()
      .describe("Live search is not supported."),
    modalities: boundedArray(z.enum(["text", "audio"]), 8)
      .nullish()
      .describe("Audio is rejected."),
  })
  .meta({ id: "ChatCompletionRequest" });

export type ChatRequestBody = z.infer<typeof chatRequestSchema>;
export type ChatMessageBody = ChatRequestBody["messages"][number];
export type ContentBody = ChatMessageBody["content"];
