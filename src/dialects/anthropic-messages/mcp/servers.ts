/** Reads the MCP servers of a messages request: where they are, and which of their tools may be called. Pure. */
import type { McpServer, McpTool } from "../../../core/tools/mcp-servers.js";
import { invalidValue, unsupported } from "../../field-error.js";
import type { McpListings } from "../../mcp-tools.js";
import { unsupportedTool } from "../../client-tools/hosted.js";
import type { MessagesRequestBody } from "../schema.js";
import type { ListedToolBody, McpServerBody } from "./schema.js";

/** What is known of MCP servers when a request is parsed. */
export interface McpOffer {
  /** The tools that servers have listed. */
  readonly listings: McpListings;
  /** Whether a tool of the type `mcp_toolset` must name each server. Otherwise it must if there is one such tool. */
  readonly needsToolsets: boolean;
}

/** An MCP server that a request names. */
export interface MessagesMcpServer {
  readonly server: McpServer;
  /** The field of the server. */
  readonly param: string;
  /** Whether the answer has the list of its tools, where the server is asked for it. */
  readonly reportsList: boolean;
  /** Its tools as the request has them, in a toolset or an earlier answer; null: the server is asked for them. */
  readonly pinned: readonly McpTool[] | null;
  /** Whether the model may call a tool. */
  readonly allows: (tool: string) => boolean;
  /** Sentences about settings that have no effect. */
  readonly warnings: readonly string[];
}

type ToolBody = NonNullable<MessagesRequestBody["tools"]>[number];
type Fields = MessagesRequestBody;

interface Toolset {
  readonly body: ToolBody;
  readonly param: string;
}

const toolsetType = "mcp_toolset";

export function isToolset({ type }: ToolBody): boolean {
  return type === toolsetType;
}

/**
 * @param offer null: MCP servers cannot be used.
 * @throws HearthError `invalid_value` that names a server or a toolset which has no counterpart, or occurs twice.
 */
export function readMessagesServers(
  { mcp_servers: given, tools, messages }: Fields,
  offer: McpOffer | null,
): readonly MessagesMcpServer[] {
  const bodies = given ?? [];
  const toolsets = (tools ?? []).flatMap((body, index): readonly Toolset[] =>
    isToolset(body) ? [{ body, param: `tools.${index}` }] : [],
  );
  const [first] = toolsets;
  if (offer === null) {
    if (bodies.length > 0) throw unsupported("mcp_servers", "MCP servers are");
    if (first !== undefined) throw unsupportedTool(`${first.param}.type`, toolsetType);
  }
  const byServer = toolsetsByServer(toolsets, new Set(bodies.map(({ name }) => name)));
  const needsToolsets = first !== undefined || offer?.needsToolsets === true;
  const names = new Set<string>();
  const listed = listedBefore(messages);
  return bodies.map((body, index) => {
    const param = `mcp_servers.${index}`;
    if (names.has(body.name)) throw invalidValue(`${param}.name`, "is already the name of another server");
    names.add(body.name);
    if (!needsToolsets) return configuredServer(body, param);
    const toolset = byServer.get(body.name);
    if (toolset === undefined)
      throw invalidValue(`${param}.name`, `is not named by a tool of the type ${toolsetType}`);
    return serverOfToolset(body, param, toolset, listed);
  });
}

/** Returns the lists that the answer has. @param listings what servers have listed for this request */
export function reportedLists(servers: readonly MessagesMcpServer[], listings: McpListings): McpListings {
  return new Map(
    servers.flatMap(({ server: { label }, reportsList, pinned }) => {
      const tools = listings.get(label);
      return reportsList && pinned === null && tools !== undefined ? [[label, tools] as const] : [];
    }),
  );
}

/** Returns the tools that the answers of a conversation have listed: the latest list of each server. */
function listedBefore(messages: Fields["messages"]): ReadonlyMap<string, readonly ListedToolBody[]> {
  const listings = new Map<string, readonly ListedToolBody[]>();
  for (const { content } of messages)
    for (const block of typeof content === "string" ? [] : content)
      if (block.type === "mcp_tool_listing" && block.mcp_server_name != null && block.tools != null)
        listings.set(block.mcp_server_name, block.tools);
  return listings;
}

function toolsetsByServer(
  toolsets: readonly Toolset[],
  servers: ReadonlySet<string>,
): ReadonlyMap<string, Toolset> {
  const byServer = new Map<string, Toolset>();
  for (const toolset of toolsets) {
    const { mcp_server_name: name } = toolset.body;
    const param = `${toolset.param}.mcp_server_name`;
    if (name == null) throw invalidValue(param, "is required");
    if (!servers.has(name))
      throw invalidValue(param, `'${name.slice(0, 128)}' is not the name of one of mcp_servers`);
    if (byServer.has(name)) throw invalidValue(param, "is already named by another toolset");
    byServer.set(name, toolset);
  }
  return byServer;
}

function toServer({ name: label, url, authorization_token: token }: McpServerBody, param: string): McpServer {
  const headers: McpServer["headers"] = token == null ? {} : { authorization: `Bearer ${token}` };
  return { label, url, headers, param: `${param}.url` };
}

/** The older form: the server itself says which tools may be called. */
function configuredServer(body: McpServerBody, param: string): MessagesMcpServer {
  const { enabled, allowed_tools: allowed } = body.tool_configuration ?? {};
  return {
    server: toServer(body, param),
    param,
    reportsList: false,
    pinned: enabled === false ? [] : null,
    allows: (tool) => allowed == null || allowed.includes(tool),
    warnings: [],
  };
}

function serverOfToolset(
  body: McpServerBody,
  param: string,
  toolset: Toolset,
  listed: ReadonlyMap<string, readonly ListedToolBody[]>,
): MessagesMcpServer {
  if (body.tool_configuration != null)
    throw invalidValue(
      `${param}.tool_configuration`,
      `cannot be used together with a tool of the type ${toolsetType}`,
    );
  const { default_config: standard, configs: given } = toolset.body;
  const tools = toolset.body.tools ?? listed.get(body.name);
  const configs = new Map(Object.entries(given ?? {}));
  const defers = [standard, ...configs.values()].some((config) => config?.defer_loading === true);
  return {
    server: toServer(body, param),
    param,
    reportsList: true,
    pinned:
      tools?.map(({ name, description, input_schema: inputSchema }) => ({
        name,
        description: description ?? null,
        inputSchema,
        annotations: null,
      })) ?? null,
    allows: (tool) => configs.get(tool)?.enabled ?? standard?.enabled ?? true,
    warnings: defers
      ? [`${toolset.param}: defer_loading has no effect: all tools of the server are loaded`]
      : [],
  };
}
