/** Schemas of the responses of POST /v1/messages, streamed and not streamed. */
import { z } from "zod";
import { contextManagement } from "./context-management.js";
import { countField, responseObject, responseArray } from "../response-fields.js";

const stopReason = z.enum([
  "end_turn",
  "max_tokens",
  "stop_sequence",
  "tool_use",
  "pause_turn",
  "refusal",
  "model_context_window_exceeded",
]);

const counts = {
  input_tokens: countField("Tokens of the prompt that were evaluated."),
  cache_creation_input_tokens: countField("Always 0 here."),
  cache_read_input_tokens: countField("Tokens of the prompt that were read from the cache."),
  output_tokens: countField("Tokens of the answer, including thinking."),
};
const usage = responseObject({
  ...counts,
  output_tokens_details: responseObject({
    thinking_tokens: countField("Tokens of the thinking, which `output_tokens` includes."),
  }),
  server_tool_use: z.null(),
}).meta({ id: "MessageUsage" });
/** What only a hosted service has: clients read the members, which say that there is none. */
const absentUsage = {
  cache_creation: responseObject({
    ephemeral_1h_input_tokens: countField("Always 0 here."),
    ephemeral_5m_input_tokens: countField("Always 0 here."),
  }),
  inference_geo: z.null(),
  speed: z.null(),
};
const absentParts = { container: z.null(), stop_details: z.null() };

const cited = {
  cited_text: z.string().describe("Text of the document, never of the model."),
  document_index: countField("Index of the document among all of the request."),
  document_title: z.string().nullable(),
  file_id: z.null(),
};
const citation = z
  .discriminatedUnion("type", [
    responseObject({
      type: z.literal("char_location"),
      ...cited,
      start_char_index: countField("Characters (code points) of the document before the citation."),
      end_char_index: countField("Characters up to its end."),
    }),
    responseObject({
      type: z.literal("page_location"),
      ...cited,
      start_page_number: countField("Number of the first page, from 1."),
      end_page_number: countField("Number of the page after the last one."),
    }),
    responseObject({
      type: z.literal("content_block_location"),
      ...cited,
      start_block_index: countField("Index of the first block."),
      end_block_index: countField("Index of the block after the last one."),
    }),
  ])
  .meta({ id: "Citation", description: "A place of a document that the text is taken from." });
const textBlock = responseObject({
  type: z.literal("text"),
  text: z.string(),
  citations: responseArray(citation)
    .optional()
    .describe("Present if the model has named its sources of the text."),
});
const thinkingBlock = responseObject({
  type: z.literal("thinking"),
  thinking: z.string(),
  signature: z.string().describe("Not verified when a client sends it back."),
});
const toolUseBlock = responseObject({
  type: z.literal("tool_use"),
  id: z.string(),
  name: z.string(),
  input: z.record(z.string(), z.unknown()).readonly(),
  caller: responseObject({ type: z.literal("direct") }).describe("The model itself."),
});
const mcpToolUseBlock = responseObject({
  type: z.literal("mcp_tool_use"),
  id: z.string(),
  name: z.string().describe("The name of the tool on its server."),
  server_name: z.string(),
  input: z.record(z.string(), z.unknown()).readonly(),
});
const mcpToolResultBlock = responseObject({
  type: z.literal("mcp_tool_result"),
  tool_use_id: z.string(),
  is_error: z
    .boolean()
    .describe("Whether the tool, the server or the connection failed; the model has read why."),
  content: responseArray(responseObject({ type: z.literal("text"), text: z.string() })),
});
const mcpToolListingBlock = responseObject({
  type: z.literal("mcp_tool_listing"),
  mcp_server_name: z.string(),
  tools: responseArray(
    responseObject({
      name: z.string(),
      description: z.string().nullable(),
      input_schema: z.record(z.string(), z.unknown()).readonly(),
    }),
  ).describe("Send it back with the message: the server is not asked for its tools again."),
});
const contentBlock = z
  .discriminatedUnion("type", [
    textBlock,
    thinkingBlock,
    toolUseBlock,
    mcpToolListingBlock,
    mcpToolUseBlock,
    mcpToolResultBlock,
  ])
  .meta({
    id: "ContentBlock",
    description:
      "Text, thinking, a tool call, the tools of an MCP server, or a call of one of them with its result.",
  });

export const message = responseObject({
  id: z.string(),
  type: z.literal("message"),
  role: z.literal("assistant"),
  model: z.string().describe("Id of the model, even if the request named an alias."),
  content: responseArray(contentBlock),
  stop_reason: stopReason.nullable().describe("Null until the answer ends."),
  stop_sequence: z.string().nullable().describe("The stop sequence that ended the answer."),
  ...absentParts,
  diagnostics: z.null(),
  usage: responseObject({ ...usage.unwrap().shape, ...absentUsage, service_tier: z.literal("standard") }),
  context_management: contextManagement.optional().describe("Present if the request has the field."),
}).meta({ id: "Message", description: "A complete answer." });

const blockDelta = z.discriminatedUnion("type", [
  responseObject({ type: z.literal("text_delta"), text: z.string() }),
  responseObject({ type: z.literal("thinking_delta"), thinking: z.string() }),
  responseObject({ type: z.literal("citations_delta"), citation }),
  responseObject({ type: z.literal("signature_delta"), signature: z.string() }),
  responseObject({
    type: z.literal("input_json_delta"),
    partial_json: z.string().describe("All parts together are the JSON of `input`."),
  }),
]);

const index = countField("Index of the block in the message.");
const ping = responseObject({ type: z.literal("ping") });

export const messageEvent = z
  .discriminatedUnion("type", [
    responseObject({ type: z.literal("message_start"), message }),
    ping,
    responseObject({ type: z.literal("content_block_start"), index, content_block: contentBlock }),
    responseObject({ type: z.literal("content_block_delta"), index, delta: blockDelta }),
    responseObject({ type: z.literal("content_block_stop"), index }),
    responseObject({
      type: z.literal("message_delta"),
      delta: responseObject({
        stop_reason: stopReason,
        stop_sequence: z.string().nullable(),
        ...absentParts,
      }),
      usage,
      context_management: contextManagement.optional().describe("Present if the request has the field."),
    }),
    responseObject({ type: z.literal("message_stop") }),
  ])
  .meta({ id: "MessageEvent", description: "One event of a streamed answer." });

export const tokenCount = responseObject({
  input_tokens: countField("Tokens of the prompt, with the model's template and tokenizer."),
  context_management: responseObject({
    original_input_tokens: countField("Tokens of the prompt before the edits of `context_management`."),
  })
    .optional()
    .describe("Present if the request has the field."),
}).meta({ id: "MessageTokenCount" });

export type MessageStopReason = z.infer<typeof stopReason>;
export type MessageUsage = z.infer<typeof usage>;
export type ContentBlock = z.infer<typeof contentBlock>;
export type Citation = z.infer<typeof citation>;
export type BlockDelta = z.infer<typeof blockDelta>;
export type MessageEvent = z.infer<typeof messageEvent>;
