/** Schemas of the output items and the events that concern MCP servers. */
import { z } from "zod";

export const mcpListToolsItem = z
  .object({
    id: z.string(),
    type: z.literal("mcp_list_tools"),
    status: z.literal("completed"),
    server_label: z.string(),
    tools: z
      .array(
        z
          .object({
            name: z.string(),
            description: z.string().nullable(),
            input_schema: z.record(z.string(), z.unknown()).readonly(),
            annotations: z.record(z.string(), z.unknown()).readonly().nullable(),
          })
          .readonly(),
      )
      .readonly(),
    error: z.string().nullable().describe("Always null: a server that lists no tools fails the request."),
  })
  .readonly();

const call = { id: z.string(), server_label: z.string(), name: z.string(), arguments: z.string() };

export const mcpCallItem = z
  .object({
    ...call,
    type: z.literal("mcp_call"),
    status: z.enum(["in_progress", "completed", "incomplete", "failed"]),
    approval_request_id: z.string().nullable(),
    output: z.string().nullable(),
    error: z.string().nullable().describe("Why the call failed; the model has read it."),
  })
  .readonly();

export const mcpApprovalRequestItem = z
  .object({
    ...call,
    type: z.literal("mcp_approval_request"),
    status: z.enum(["in_progress", "completed", "incomplete"]),
  })
  .readonly();

export type McpListToolsItem = z.infer<typeof mcpListToolsItem>;
export type McpCallItem = z.infer<typeof mcpCallItem>;

/** An item that ended before the model began, without its id. */
export type OpeningItem = Omit<McpListToolsItem, "id">;

/** A call that the user has allowed. */
export interface AllowedMcpCall {
  readonly approvalRequestId: string;
  readonly label: string;
  readonly name: string;
}

const place = { sequence_number: z.int().min(0), item_id: z.string(), output_index: z.int().min(0) };
const event = <T extends string>(type: T) => z.object({ type: z.literal(type), ...place }).readonly();

export const mcpEvents = [
  event("response.mcp_list_tools.in_progress"),
  event("response.mcp_list_tools.completed"),
  event("response.mcp_call.in_progress"),
  event("response.mcp_call.completed"),
  event("response.mcp_call.failed"),
  z.object({ type: z.literal("response.mcp_call_arguments.delta"), ...place, delta: z.string() }).readonly(),
  z
    .object({ type: z.literal("response.mcp_call_arguments.done"), ...place, arguments: z.string() })
    .readonly(),
] as const;
