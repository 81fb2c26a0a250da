/**
 * Schema of the requests of POST /v1/responses and /v1/responses/input_tokens, with the fields of OpenAI and xAI. `null` means
 * absent for every optional field. Other fields (stream_options, service_tier, moderation, ...) do not change the answer and
 * are ignored. Fields that are declared here but not supported are rejected by unsupported-fields.ts.
 */
import { z } from "zod";
import {
  functionNameField,
  int32Max,
  metadataField,
  optionalInteger,
  boundedArray,
} from "../request-fields.js";
import { reasoningEffortField } from "../openai-effort.js";
import { maxTokensField, samplingFields } from "../openai-sampling.js";
import { inputItemSchema } from "./items/input-item-schema.js";

const itemsMax = 10_000;
const toolsMax = 1_000;
const includesMax = 100;
const labelCharsMax = 512;

const label = z.string().max(labelCharsMax, `must be at most ${labelCharsMax} characters long`).nullish();
const unsupportedField = z.unknown().optional();

const functionTool = z.object({
  type: z.literal("function"),
  name: functionNameField,
  description: z.string().nullish(),
  parameters: z.record(z.string(), z.unknown()).nullish(),
  strict: z.boolean().nullish(),
});
/** Tools of all other types are rejected by their type. */
const tool = z.preprocess(
  (value) => (isServerTool(value) ? { ...value, type: "server_tool", requestedType: value.type } : value),
  z.discriminatedUnion("type", [
    functionTool,
    z.object({ type: z.literal("server_tool"), requestedType: z.string() }),
  ]),
);

const namedFunction = z.object({ type: z.literal("function"), name: z.string() });
const toolChoice = z.union([
  z.enum(["none", "auto", "required"]),
  z.discriminatedUnion("type", [
    namedFunction,
    z.object({
      type: z.literal("allowed_tools"),
      mode: z.enum(["auto", "required"]),
      tools: boundedArray(namedFunction, toolsMax),
    }),
  ]),
]);

const format = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text") }),
  z.object({
    type: z.literal("json_object"),
    schema: z.record(z.string(), z.unknown()).nullish().describe("Enforced like that of `json_schema`."),
  }),
  z.object({
    type: z.literal("json_schema"),
    name: z.string().nullish(),
    description: z.string().nullish(),
    schema: z.record(z.string(), z.unknown()),
    strict: z.boolean().nullish(),
  }),
]);

/** The fields of the conversation, shared with the compact request. */
const conversationFields = {
  model: z.string().min(1, "must not be empty"),
  input: z.union([z.string(), boundedArray(inputItemSchema, itemsMax)]).nullish(),
  instructions: z
    .string()
    .nullish()
    .describe("System prompt of this response; not applied to later responses."),
  previous_response_id: z
    .string()
    .nullish()
    .describe("A stored response whose conversation this request continues."),
};

export const responsesRequestSchema = z
  .object({
    ...conversationFields,
    store: z.boolean().nullish().meta({ default: true, description: "Whether the response is stored." }),
    stream: z.boolean().nullish().describe("Whether the answer is streamed as server-sent events."),
    background: z
      .boolean()
      .nullish()
      .describe("Whether the response is generated in the background; requires `store`."),
    max_output_tokens: maxTokensField.describe("Maximum tokens of the answer, including reasoning."),
    ...samplingFields,
    logprobs: z.boolean().nullish(),
    top_logprobs: optionalInteger(0, 20),
    tools: boundedArray(tool, toolsMax).nullish(),
    tool_choice: toolChoice.nullish(),
    parallel_tool_calls: z.boolean().nullish(),
    max_tool_calls: optionalInteger(1, int32Max),
    text: z
      .object({ format: format.nullish(), verbosity: z.enum(["low", "medium", "high"]).nullish() })
      .nullish(),
    reasoning: z
      .object({
        effort: reasoningEffortField.nullish(),
        summary: z.enum(["auto", "concise", "detailed"]).nullish(),
        generate_summary: z.enum(["auto", "concise", "detailed"]).nullish(),
      })
      .nullish(),
    include: boundedArray(z.string(), includesMax).nullish(),
    truncation: z.enum(["auto", "disabled"]).nullish(),
    metadata: metadataField.nullish(),
    user: label,
    safety_identifier: label,
    prompt_cache_key: label,
    search_parameters: z.object({ mode: z.enum(["off", "on", "auto"]).nullish() }).nullish(),
    conversation: z
      .union([z.string(), z.object({ id: z.string() })])
      .nullish()
      .describe(
        "The conversation that this request continues, as its id or an object with its id; requires `store`.",
      ),
    prompt: unsupportedField,
    context_management: unsupportedField,
  })
  .meta({ id: "ResponseRequest" });

/** The request of POST /v1/responses/compact. */
export const compactRequestSchema = z.object(conversationFields).meta({ id: "ResponseCompactionRequest" });

export type ResponsesRequestBody = z.infer<typeof responsesRequestSchema>;

function isServerTool(value: unknown): value is { readonly type: string } {
  if (typeof value !== "object" || value === null || !("type" in value)) return false;
  return typeof value.type === "string" && value.type !== "function";
}
