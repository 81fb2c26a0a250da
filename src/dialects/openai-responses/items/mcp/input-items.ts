/** Schemas of the items of a conversation that concern MCP servers. Other fields are kept as they are. */
import { z } from "zod";
import { jsonObjectField, boundedArray } from "../../../request-fields.js";

const toolsMax = 10_000;
const id = z.string().nullish();

const listedTool = z.looseObject({
  name: z.string(),
  description: z.string().nullish(),
  input_schema: jsonObjectField,
  annotations: jsonObjectField.nullish(),
});

/** The tools of a server, as an earlier response has listed them. */
export const mcpListTools = z.looseObject({
  id,
  type: z.literal("mcp_list_tools"),
  server_label: z.string(),
  tools: boundedArray(listedTool, toolsMax),
  error: z.unknown().optional(),
});

const call = { server_label: z.string(), name: z.string(), arguments: z.string() };

export const mcpCall = z.looseObject({
  id,
  type: z.literal("mcp_call"),
  ...call,
  output: z.string().nullish(),
  error: z.unknown().optional(),
  approval_request_id: z.string().nullish(),
});

export const mcpApprovalRequest = z.looseObject({
  id: z.string(),
  type: z.literal("mcp_approval_request"),
  ...call,
});

export const mcpApprovalResponse = z.looseObject({
  id,
  type: z.literal("mcp_approval_response"),
  approval_request_id: z.string(),
  approve: z.boolean(),
  reason: z.string().nullish(),
});

export type McpCallInput = z.infer<typeof mcpCall>;
export type McpApprovalRequestInput = z.infer<typeof mcpApprovalRequest>;
