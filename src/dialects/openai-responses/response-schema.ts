/** Schemas of responses. The TypeScript types and the OpenAPI document are derived from them. */
import { z } from "zod";
import { inputItemSchema } from "./items/input-item-schema.js";
import {
  mcpApprovalRequestItem,
  mcpCallItem,
  mcpListToolsItem,
  type McpCallItem,
  type McpListToolsItem,
} from "./items/mcp/output-items.js";
import { toolChoiceSchema } from "./tools/schema.js";

const count = z.int().min(0);
const itemStatus = z.enum(["in_progress", "completed", "incomplete"]);

const tokenLogprob = z
  .object({ token: z.string(), logprob: z.number(), bytes: z.array(z.int()).readonly() })
  .readonly();
export const sampledLogprobSchema = z
  .object({ ...tokenLogprob.unwrap().shape, top_logprobs: z.array(tokenLogprob).readonly() })
  .readonly()
  .meta({ id: "ResponseTokenLogprob" });

export const outputTextSchema = z
  .object({
    type: z.literal("output_text"),
    text: z.string(),
    annotations: z.array(z.never()).readonly(),
    logprobs: z.array(sampledLogprobSchema).readonly(),
  })
  .readonly()
  .meta({ id: "ResponseOutputText" });
export const summaryTextSchema = z.object({ type: z.literal("summary_text"), text: z.string() }).readonly();

const reasoningItem = z
  .object({
    id: z.string(),
    type: z.literal("reasoning"),
    status: itemStatus,
    summary: z.array(summaryTextSchema).readonly(),
    encrypted_content: z.string().optional(),
  })
  .readonly();
const messageItem = z
  .object({
    id: z.string(),
    type: z.literal("message"),
    role: z.literal("assistant"),
    status: itemStatus,
    content: z.array(outputTextSchema).readonly(),
  })
  .readonly();
const functionCallItem = z
  .object({
    id: z.string(),
    type: z.literal("function_call"),
    status: itemStatus,
    call_id: z.string(),
    name: z.string(),
    namespace: z.string().optional(),
    arguments: z.string(),
  })
  .readonly();
const clientCall = { id: z.string(), status: itemStatus, call_id: z.string() };
const optionalCount = count.nullable();
const customCallItem = z
  .object({
    ...clientCall,
    type: z.literal("custom_tool_call"),
    name: z.string(),
    namespace: z.string().optional(),
    input: z.string(),
  })
  .readonly();
const localShellCallItem = z
  .object({
    ...clientCall,
    type: z.literal("local_shell_call"),
    action: z
      .object({
        type: z.literal("exec"),
        command: z.array(z.string()).readonly(),
        env: z.record(z.string(), z.string()).readonly(),
        timeout_ms: optionalCount,
        user: z.string().nullable(),
        working_directory: z.string().nullable(),
      })
      .readonly(),
  })
  .readonly();
const shellCallItem = z
  .object({
    ...clientCall,
    type: z.literal("shell_call"),
    action: z
      .object({
        commands: z.array(z.string()).readonly(),
        timeout_ms: optionalCount,
        max_output_length: optionalCount,
      })
      .readonly(),
    environment: z.object({ type: z.literal("local") }).readonly(),
  })
  .readonly();
const applyPatchCallItem = z
  .object({
    ...clientCall,
    type: z.literal("apply_patch_call"),
    operation: z
      .object({
        type: z.enum(["create_file", "update_file", "delete_file"]),
        path: z.string(),
        diff: z.string().optional(),
      })
      .readonly(),
  })
  .readonly();
const toolSearchCallItem = z
  .object({
    ...clientCall,
    type: z.literal("tool_search_call"),
    execution: z.literal("client"),
    arguments: z.record(z.string(), z.unknown()).readonly(),
  })
  .readonly();
const imageCallItem = z
  .object({
    id: z.string(),
    type: z.literal("image_generation_call"),
    status: z.enum(["in_progress", "generating", "completed", "failed"]),
    action: z.literal("generate"),
    result: z.string().nullable().describe("The image in base64; null before it is finished."),
    revised_prompt: z.string().optional().describe("The text that the image was generated from."),
    background: z.literal("opaque").optional(),
    output_format: z.enum(["png", "jpeg", "webp"]).optional(),
    size: z.string().optional(),
  })
  .readonly();
const compactionItem = z
  .object({ id: z.string(), type: z.literal("compaction"), encrypted_content: z.string() })
  .readonly();
export const outputItemSchema = z
  .discriminatedUnion("type", [
    reasoningItem,
    messageItem,
    functionCallItem,
    customCallItem,
    localShellCallItem,
    shellCallItem,
    applyPatchCallItem,
    toolSearchCallItem,
    imageCallItem,
    compactionItem,
    mcpListToolsItem,
    mcpCallItem,
    mcpApprovalRequestItem,
  ])
  .meta({ id: "ResponseOutputItem", description: "Reasoning, a message, or a call of a tool." });

const functionTool = z
  .object({
    type: z.literal("function"),
    name: z.string(),
    description: z.string().nullable(),
    parameters: z.record(z.string(), z.unknown()).nullable(),
    strict: z.boolean().nullable(),
  })
  .readonly();
/** Tools of the other types are as the request has them. */
const otherTool = z.looseObject({ type: z.string() }).readonly();
const textFormat = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text") }).readonly(),
  z.object({ type: z.literal("json_object") }).readonly(),
  z
    .object({
      type: z.literal("json_schema"),
      name: z.string(),
      description: z.string().nullable(),
      schema: z.record(z.string(), z.unknown()),
      strict: z.boolean(),
    })
    .readonly(),
]);

export const responseUsageSchema = z
  .object({
    input_tokens: count,
    input_tokens_details: z.object({ cached_tokens: count, cache_write_tokens: count }).readonly(),
    output_tokens: count,
    output_tokens_details: z.object({ reasoning_tokens: count }).readonly(),
    total_tokens: count,
    num_sources_used: count,
    num_server_side_tools_used: count,
    cost_in_usd_ticks: count,
  })
  .readonly()
  .meta({ id: "ResponseUsage", description: "`output_tokens` includes reasoning tokens." });

export const responseSchema = z
  .object({
    id: z.string(),
    object: z.literal("response"),
    created_at: count,
    completed_at: count.nullable(),
    conversation: z.object({ id: z.string() }).readonly().optional(),
    status: z.enum(["queued", "in_progress", "completed", "incomplete", "failed", "cancelled"]),
    background: z.boolean(),
    error: z.object({ code: z.string(), message: z.string() }).readonly().nullable(),
    incomplete_details: z
      .object({ reason: z.enum(["max_output_tokens", "content_filter"]) })
      .readonly()
      .nullable(),
    instructions: z.string().nullable(),
    max_output_tokens: count.nullable(),
    max_tool_calls: count.nullable(),
    metadata: z.record(z.string(), z.string()).readonly(),
    model: z.string(),
    output: z.array(outputItemSchema).readonly(),
    parallel_tool_calls: z.boolean(),
    previous_response_id: z.string().nullable(),
    prompt_cache_key: z.string().nullable(),
    reasoning: z.object({ effort: z.string().nullable(), summary: z.string().nullable() }).readonly(),
    safety_identifier: z.string().nullable(),
    service_tier: z.literal("default"),
    store: z.boolean(),
    temperature: z.number(),
    text: z.object({ format: textFormat, verbosity: z.string().optional() }).readonly(),
    tool_choice: toolChoiceSchema,
    tools: z.array(z.union([functionTool, otherTool])).readonly(),
    top_logprobs: count,
    top_p: z.number(),
    presence_penalty: z.number(),
    frequency_penalty: z.number(),
    truncation: z.enum(["auto", "disabled"]),
    usage: responseUsageSchema.nullable(),
    user: z.string().optional(),
  })
  .readonly()
  .meta({ id: "Response", description: "A response in its current state." });

export const deletedResponseSchema = z
  .object({ id: z.string(), object: z.literal("response"), deleted: z.literal(true) })
  .readonly()
  .meta({ id: "DeletedResponse" });

export const inputTokensSchema = z
  .object({ object: z.literal("response.input_tokens"), input_tokens: count })
  .readonly()
  .meta({ id: "ResponseInputTokens" });

export const inputItemsPageSchema = z
  .object({
    object: z.literal("list"),
    data: z.array(inputItemSchema).readonly(),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
  })
  .readonly()
  .meta({ id: "ResponseInputItemList" });

export const compactionSchema = z
  .object({
    id: z.string(),
    object: z.literal("response.compaction"),
    created_at: count,
    model: z.string(),
    output: z.array(compactionItem).readonly(),
    usage: responseUsageSchema,
  })
  .readonly()
  .meta({
    id: "ResponseCompaction",
    description: "A summary of a conversation, from which it can be continued.",
  });

export type SampledLogprobBody = z.infer<typeof sampledLogprobSchema>;
export type OutputItem = z.infer<typeof outputItemSchema>;
/** The item of a call that the server executes, or of the tools that an MCP server has listed. */
export type ServerItem = z.infer<typeof imageCallItem> | McpCallItem | McpListToolsItem;
/** A summary of the conversation before the response. */
export type CompactionItem = z.infer<typeof compactionItem>;
export type OutputItemStatus = z.infer<typeof itemStatus>;
export type ResponseObject = z.infer<typeof responseSchema>;
export type InputItemsPage = z.infer<typeof inputItemsPageSchema>;
export type CompactionBody = z.infer<typeof compactionSchema>;
