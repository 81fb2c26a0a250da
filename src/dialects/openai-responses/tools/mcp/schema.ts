/** Schema of the tools of a responses request that name an MCP server. */
import { z } from "zod";
import { boundedArray } from "../../../request-fields.js";

const namesMax = 1_000;

const filter = z.object({
  tool_names: boundedArray(z.string(), namesMax).nullish(),
  read_only: z.boolean().nullish().describe("Whether the server says that the tool changes nothing."),
});

export const mcpTool = z.object({
  type: z.literal("mcp"),
  server_label: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, "must be a letter and up to 63 letters, digits, _ or -")
    .describe("Names the server in the items of its calls."),
  server_url: z.string().nullish().describe("One of the hosts of the setting `mcpHosts`."),
  server_description: z.string().nullish(),
  headers: z.record(z.string(), z.string()).nullish().describe("Sent to the server; never stored."),
  authorization: z.string().nullish().describe("Sent to the server as a bearer token; never stored."),
  allowed_tools: z.union([boundedArray(z.string(), namesMax), filter]).nullish(),
  require_approval: z
    .union([z.enum(["always", "never"]), z.object({ always: filter.nullish(), never: filter.nullish() })])
    .nullish()
    .describe("Default: `always`."),
  defer_loading: z.boolean().nullish().describe("Not supported: rejected if true."),
  connector_id: z.string().nullish().describe("Not supported: rejected."),
  tunnel_id: z.string().nullish().describe("Not supported: rejected."),
});

/** The choice of a tool of an MCP server, or of any of them. */
export const chosenMcpTool = z.object({
  type: z.literal("mcp"),
  server_label: z.string(),
  name: z.string().nullish(),
});

export type ChosenMcpTool = z.infer<typeof chosenMcpTool>;
export type McpToolBody = z.infer<typeof mcpTool>;
export type McpFilterBody = z.infer<typeof filter>;
