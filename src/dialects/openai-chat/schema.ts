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
import { argumentsField, resultField } from "../call-fields.js";
import { nestedTextFormatSchema, textToolFields } from "../client-tools/text-input.js";
import { soundPart } from "../sound-part.js";
import { cacheKeyField, labelField, serviceTierField } from "../run-labels.js";
import { continuationFields, prefixField } from "../generation/continuation.js";
import { formatFields } from "../generation/format-fields.js";
import { reasoningFields } from "../generation/reasoning-fields.js";
import { maxTokensField, samplingFields, streamFields } from "../generation/sampling.js";

const messagesMax = 10_000;
const partsMax = 10_000;
const toolsMax = 1_000;
const callsMax = 1_000;

const textPart = z.object({ type: z.enum(["text", "input_text", "output_text"]), text: z.string() });
const thinkingPart = z.object({
  type: z.literal("thinking"),
  thinking: z
    .union([z.string(), boundedArray(z.object({ text: z.string().nullish() }), partsMax)])
    .describe("The model's reasoning before this answer."),
});
const refusalPart = z.object({ type: z.literal("refusal"), refusal: z.string() });
const detail = z.enum(["auto", "low", "high", "original"]).nullish();
const imageUrl = z
  .string()
  .describe("`data:` URL with PNG, JPEG, WebP or GIF; http(s) if the operator allows it.");
const imagePart = z.object({
  type: z.enum(["image_url", "input_image"]),
  image_url: z.union([
    z.object({
      url: imageUrl,
      detail: detail.describe("`high` analyzes small details and text more closely."),
    }),
    imageUrl,
  ]),
  detail: detail.describe("xAI's position of the field."),
});
const part = z
  .discriminatedUnion("type", [
    textPart,
    thinkingPart,
    refusalPart,
    imagePart,
    z.object({ type: z.enum(["video_url", "input_video"]) }),
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
    soundPart,
  ])
  .meta({
    id: "ChatContentPart",
    description:
      "Text, images, text files and, for models that read sound, sound are supported; other files and videos are rejected.",
  });
const content = z.union([z.string(), boundedArray(part, partsMax)]);
const name = z.string().nullish();

const calledFunction = z.object({
  name: z.string(),
  arguments: argumentsField,
});
const callId = z.string().nullish().describe("Default: the position of the call.");
const functionCall = z.object({
  id: callId,
  type: z.literal("function").nullish(),
  function: calledFunction,
});
const customCall = z.object({
  id: callId,
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
      reasoning: z.string().nullish().describe("Another name of `reasoning_content`."),
      reasoning_details: boundedArray(
        z.object({ text: z.string().nullish(), summary: z.string().nullish() }),
        partsMax,
      )
        .nullish()
        .describe("The reasoning in parts, as a service before several hosts sends it."),
      prefix: prefixField,
      refusal: z.string().nullish(),
      tool_calls: boundedArray(toolCall, callsMax).nullish(),
      function_call: calledFunction.nullish().describe("The older form of `tool_calls`."),
    }),
    z.object({
      role: z.literal("tool"),
      content: resultField(content).nullish().describe("Without it, the result is empty."),
      tool_call_id: z.string().nullish().describe("Id of the call that this is the result of."),
    }),
    z.object({ role: z.literal("function"), content: resultField(content).nullish(), name }),
  ])
  .meta({ id: "ChatMessage", description: "One message of a conversation." });

const functionSchema = z.object({
  name: functionNameField,
  description: z.string().nullish(),
  parameters: jsonObjectField.nullish().describe("JSON Schema of the arguments."),
});
const tool = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("function"),
    function: functionSchema.nullish(),
    name: functionNameField.nullish().describe("The form of the Responses API, without `function`."),
    description: functionSchema.shape.description,
    parameters: functionSchema.shape.parameters,
  }),
  z.object({
    type: z.literal("custom"),
    custom: z.object({
      ...textToolFields,
      format: nestedTextFormatSchema.nullish().describe("Format of the input, which is a text."),
    }),
  }),
  z.object({ type: z.literal("live_search") }).describe("Not supported: rejected."),
]);
const named = z.object({ name: z.string() });
const flatName = z.string().nullish().describe("The form of the Responses API and of messages.");
const namedFunction = z.object({
  type: z.enum(["function", "tool"]),
  function: named.nullish(),
  name: flatName,
});
const namedCustom = z.object({ type: z.literal("custom"), custom: named.nullish(), name: flatName });
const allowedTools = z.object({
  type: z.literal("allowed_tools"),
  allowed_tools: z.object({
    mode: z.enum(["auto", "required"]),
    tools: boundedArray(z.discriminatedUnion("type", [namedFunction, namedCustom]), toolsMax),
  }),
});
const choiceModes = z.enum(["none", "auto", "required", "any"]);
const toolChoice = z.union([
  choiceModes,
  z.discriminatedUnion("type", [namedFunction, namedCustom, allowedTools, z.object({ type: choiceModes })]),
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
    tool_stream: z
      .boolean()
      .nullish()
      .describe(
        "With true, a stream has the arguments of a call in pieces, as the model writes them. Otherwise each call is whole in one chunk, since some clients read no other.",
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
    ...formatFields,
    ...continuationFields,
    ...reasoningFields,
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
