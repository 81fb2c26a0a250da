/**
 * Schema of the requests of POST /v1/responses and /v1/responses/input_tokens, with the fields of OpenAI and xAI. `null` means
 * absent for every optional field. Other fields (stream_options, moderation, ...) do not change the answer and
 * are ignored. Fields that are declared here but not supported are rejected by unsupported-fields.ts.
 */
import { z } from "zod";
import {
  jsonObjectField,
  int32Max,
  metadataField,
  optionalInteger,
  boundedArray,
} from "../request-fields.js";
import { cacheKeyField, labelField, serviceTierField } from "../run-labels.js";
import { continuationFields } from "../generation/continuation.js";
import { formatFields } from "../generation/format-fields.js";
import { reasoningFields, reasoningMembers } from "../generation/reasoning-fields.js";
import { maxTokensField, samplingFields } from "../generation/sampling.js";
import { inputItemSchema } from "./items/input-item-schema.js";
import { toolChoiceSchema, toolsSchema } from "./tools/schema.js";

const itemsMax = 10_000;
const includesMax = 100;

const unsupportedField = z.unknown().optional();

const format = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text") }),
  z.object({
    type: z.literal("json_object"),
    schema: jsonObjectField.nullish().describe("Enforced like the schema of `json_schema`."),
  }),
  z.object({
    type: z.literal("json_schema"),
    name: z.string().nullish(),
    description: z.string().nullish(),
    schema: jsonObjectField,
    strict: z.boolean().nullish(),
  }),
]);

const summary = z.enum(["auto", "concise", "detailed"]).nullish().catch(null);

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
    generate: z
      .boolean()
      .nullish()
      .describe(
        "false: the request is checked and answered with an empty response, and the model does not run. Turns of a WebSocket can " +
          "continue it.",
      ),
    max_output_tokens: maxTokensField.describe("Maximum tokens of the answer, including reasoning."),
    ...samplingFields,
    logprobs: z.boolean().nullish(),
    top_logprobs: optionalInteger(0, 20),
    tools: toolsSchema.nullish(),
    tool_choice: toolChoiceSchema.nullish(),
    parallel_tool_calls: z.boolean().nullish(),
    max_tool_calls: optionalInteger(1, int32Max),
    text: z
      .object({ format: format.nullish(), verbosity: z.enum(["low", "medium", "high"]).nullish() })
      .nullish(),
    ...formatFields,
    ...continuationFields,
    ...reasoningFields,
    reasoning: z
      .object({
        ...reasoningMembers,
        summary: summary.describe("Other values count as absent."),
        generate_summary: summary.describe("The older name of `summary`."),
      })
      .nullish(),
    include: boundedArray(z.string(), includesMax).nullish(),
    truncation: z.enum(["auto", "disabled"]).nullish(),
    metadata: metadataField.nullish(),
    user: labelField,
    safety_identifier: labelField,
    prompt_cache_key: cacheKeyField,
    service_tier: serviceTierField,
    search_parameters: z.object({ mode: z.enum(["off", "on", "auto"]).nullish() }).nullish(),
    conversation: z
      .union([z.string(), z.object({ id: z.string() })])
      .nullish()
      .describe(
        "The conversation that this request continues, as its id or an object with its id; requires `store`.",
      ),
    prompt: unsupportedField,
    context_management: boundedArray(
      z.object({
        type: z.literal("compaction"),
        compact_threshold: optionalInteger(1_000, int32Max).describe(
          "Tokens of the prompt above which the model summarizes the conversation before it answers.",
        ),
      }),
      1,
    ).nullish(),
  })
  .meta({ id: "ResponseRequest" });

/** The request of POST /v1/responses/compact. */
export const compactRequestSchema = z.object(conversationFields).meta({ id: "ResponseCompactionRequest" });

export type ResponsesRequestBody = z.infer<typeof responsesRequestSchema>;
