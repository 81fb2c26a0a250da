/** Schemas of the parts of a messages request that concern MCP servers: servers, toolsets, and blocks of a conversation. */
import { z } from "zod";
import { argumentsField, resultField } from "../../call-fields.js";
import { jsonObjectField, boundedArray } from "../../request-fields.js";

const namesMax = 1_000;
const serversMax = 1_000;
const listedMax = 10_000;
const blocksMax = 10_000;

/** A name can stand in an error. */
const serverName = z
  .string()
  .regex(/^\P{Cc}{1,128}$/u, "must be 1 to 128 characters without control characters");

const mcpServer = z.object({
  type: z.literal("url"),
  url: z.string().describe("One of the hosts of the setting `mcpHosts`."),
  name: serverName.describe("Names the server in the blocks of its calls."),
  authorization_token: z
    .string()
    .regex(/^[\x20-\x7e\x80-\xff]{1,8000}$/, "must be one line of 1 to 8000 characters")
    .nullish()
    .describe("Sent to the server as a bearer token; never stored."),
  tool_configuration: z
    .object({ enabled: z.boolean().nullish(), allowed_tools: boundedArray(z.string(), namesMax).nullish() })
    .nullish()
    .describe("Which tools may be called, where no tool of the type `mcp_toolset` is used."),
});

export const mcpServersField = boundedArray(mcpServer, serversMax)
  .nullish()
  .describe("MCP servers whose tools the server calls.");

const toolConfig = z
  .object({
    enabled: z.boolean().nullish(),
    defer_loading: z.boolean().nullish().describe("Ignored, with the header `x-hearth-warning`."),
  })
  .nullish();

const listedTool = z.object({
  name: z.string(),
  description: z.string().nullish(),
  input_schema: jsonObjectField,
});

/** What a tool of the type `mcp_toolset` has; other types have none of it but `configs`. */
export const toolsetFields = {
  mcp_server_name: z.string().nullish().describe("With the type `mcp_toolset`: one of `mcp_servers`."),
  default_config: toolConfig.describe("The configuration of tools that `configs` does not name."),
  configs: z.record(z.string(), toolConfig).nullish().describe("Configurations of tools, by their names."),
  tools: boundedArray(listedTool, listedMax)
    .nullish()
    .describe("The tools of the server, which is then not asked for them."),
};

/** The tools of a server in a conversation, as an earlier answer has listed them. */
export const mcpListingBlock = z.object({
  type: z.literal("mcp_tool_listing"),
  mcp_server_name: z.string().nullish(),
  tools: boundedArray(listedTool, listedMax).nullish(),
});

/** A call in a conversation. */
export const mcpUseBlock = z.object({
  type: z.literal("mcp_tool_use"),
  id: z.string(),
  name: z.string(),
  server_name: z.string(),
  input: argumentsField,
});

/** The result of a call in a conversation. */
export const mcpResultBlock = z.object({
  type: z.literal("mcp_tool_result"),
  tool_use_id: z.string(),
  content: resultField(
    z.union([z.string(), boundedArray(z.object({ type: z.literal("text"), text: z.string() }), blocksMax)]),
  ).nullish(),
  is_error: z.boolean().nullish(),
});

export type McpServerBody = z.infer<typeof mcpServer>;
export type ListedToolBody = z.infer<typeof listedTool>;
