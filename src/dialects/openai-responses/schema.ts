/**
 * The request of POST /v1/responses as it is on the wire: OpenAI's and xAI's fields together; /v1/responses/input_tokens takes
 * the same. `null` means absent for every optional field. Fields that are not here (stream_options, service_tier, moderation,
 * ...) change nothing in the answer and are dropped unread. What is here but not served is refused by unserved.ts.
 */
import { z } from "zod";
import { functionName, int32Max, integer, list } from "../bounded.js";
import { effortWord } from "../openai-effort.js";
import { maxTokensField, samplingFields } from "../openai-sampling.js";
import { inputItemSchema } from "./items/item-schema.js";

const itemsMax = 10_000;
const toolsMax = 1_000;
const includesMax = 100;
const metadataPairsMax = 16;
const metadataKeyCharsMax = 64;
const metadataValueCharsMax = 512;
const labelCharsMax = 512;

const label = z.string().max(labelCharsMax, `must be at most ${labelCharsMax} characters long`).nullish();
const set = z.unknown().optional();

const functionTool = z.object({
  type: z.literal("function"),
  name: functionName,
  description: z.string().nullish(),
  parameters: z.record(z.string(), z.unknown()).nullish(),
  strict: z.boolean().nullish(),
});
/** Every other sort of tool is refused by its type. */
const tool = z.preprocess(
  (value) => (isServerTool(value) ? { ...value, type: "server_tool", asked: value.type } : value),
  z.discriminatedUnion("type", [
    functionTool,
    z.object({ type: z.literal("server_tool"), asked: z.string() }),
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
      tools: list(namedFunction, toolsMax),
    }),
  ]),
]);

const format = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text") }),
  z.object({ type: z.literal("json_object") }),
  z.object({
    type: z.literal("json_schema"),
    name: z.string().nullish(),
    description: z.string().nullish(),
    schema: z.record(z.string(), z.unknown()),
    strict: z.boolean().nullish(),
  }),
]);

const metadata = z
  .record(
    z.string(),
    z.string().max(metadataValueCharsMax, `must be at most ${metadataValueCharsMax} characters long`),
  )
  .refine(
    (pairs) => Object.keys(pairs).length <= metadataPairsMax,
    `must hold at most ${metadataPairsMax} pairs`,
  )
  .refine(
    (pairs) => Object.keys(pairs).every((key) => key.length <= metadataKeyCharsMax),
    `must have keys of at most ${metadataKeyCharsMax} characters`,
  );

/** What a conversation goes on from, and what is said in it. */
const conversationFields = {
  model: z.string().min(1, "must not be empty"),
  input: z.union([z.string(), list(inputItemSchema, itemsMax)]).nullish(),
  instructions: z.string().nullish().describe("What the model is told first; not kept for what follows."),
  previous_response_id: z
    .string()
    .nullish()
    .describe("A kept response whose conversation this goes on from."),
};

export const responsesRequestSchema = z
  .object({
    ...conversationFields,
    store: z.boolean().nullish().meta({ default: true, description: "Whether the response is kept." }),
    stream: z.boolean().nullish().describe("Whether the answer comes as server-sent events, piece by piece."),
    background: z.boolean().nullish().describe("Whether it is made when there is time; needs `store`."),
    max_output_tokens: maxTokensField.describe("Bound on the answer, reasoning included."),
    ...samplingFields,
    logprobs: z.boolean().nullish(),
    top_logprobs: integer(0, 20),
    tools: list(tool, toolsMax).nullish(),
    tool_choice: toolChoice.nullish(),
    parallel_tool_calls: z.boolean().nullish(),
    max_tool_calls: integer(1, int32Max),
    text: z
      .object({ format: format.nullish(), verbosity: z.enum(["low", "medium", "high"]).nullish() })
      .nullish(),
    reasoning: z
      .object({
        effort: effortWord.nullish(),
        summary: z.enum(["auto", "concise", "detailed"]).nullish(),
        generate_summary: z.enum(["auto", "concise", "detailed"]).nullish(),
      })
      .nullish(),
    include: list(z.string(), includesMax).nullish(),
    truncation: z.enum(["auto", "disabled"]).nullish(),
    metadata: metadata.nullish(),
    user: label,
    safety_identifier: label,
    prompt_cache_key: label,
    search_parameters: z.object({ mode: z.enum(["off", "on", "auto"]).nullish() }).nullish(),
    prompt: set,
    conversation: set,
    context_management: set,
  })
  .meta({ id: "ResponseRequest" });

/** The request of POST /v1/responses/compact. */
export const compactRequestSchema = z.object(conversationFields).meta({ id: "ResponseCompactionRequest" });

export type ResponsesRequestBody = z.infer<typeof responsesRequestSchema>;

function isServerTool(value: unknown): value is { readonly type: string } {
  if (typeof value !== "object" || value === null || !("type" in value)) return false;
  return typeof value.type === "string" && value.type !== "function";
}
