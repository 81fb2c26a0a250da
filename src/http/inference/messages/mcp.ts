/** The MCP servers of a messages request: their tools are listed before the model begins. */
import type { McpOffer } from "../../../dialects/anthropic-messages/mcp/servers.js";
import type { MessagesRequest } from "../../../dialects/anthropic-messages/parse.js";
import type { ServerTool } from "../../../inference/run/run-deps.js";
import { mcpServerTool, openMcpSessions } from "../../../answers/mcp/sessions.js";
import type { AppContext } from "../../server/app-context.js";
import { whileClientWaits } from "../../server/reply/client.js";
import type { Call } from "../../server/route.js";

/** A request whose MCP servers have listed their tools. */
export interface ListedMessagesRequest {
  readonly parsed: MessagesRequest;
  /** What executes the calls of the servers' tools. */
  readonly serverTools: readonly ServerTool[];
  /** Ends the sessions: called when the run has ended, or will not begin. */
  close(): void;
}

/** Returns what a request may do with MCP servers before any has listed its tools. */
export function mcpOfferOf({ ctx }: Pick<Call, "ctx">): McpOffer {
  const betas = ctx
    .get("anthropic-beta")
    .split(",")
    .map((beta) => beta.trim());
  const clients = betas.filter((beta) => beta.startsWith("mcp-client-"));
  return { listings: new Map(), needsToolsets: clients.length > 0 && !clients.includes(olderBeta) };
}

/** The version of the API without toolsets. */
const olderBeta = "mcp-client-2025-04-04";

/**
 * @param parsed without lists of tools. @param parse parses the request again, with the tools that are listed.
 * @returns null when the client has left. @throws HearthError `invalid_value`, or `dependency_failed` for a server whose tools cannot be listed.
 */
export async function listMessagesTools(
  { mcp }: AppContext,
  { ctx }: Pick<Call, "ctx">,
  parsed: MessagesRequest,
  parse: (offer: McpOffer) => MessagesRequest,
): Promise<ListedMessagesRequest | null> {
  const { mcpServers } = parsed;
  if (mcpServers.length === 0) return { parsed, serverTools: [], close: () => undefined };
  const servers = mcpServers.map(({ server }) => server);
  const sessions = openMcpSessions(mcp, servers, "mcp_servers");
  const pinned = mcpServers.filter((each) => each.pinned !== null).map(({ server }) => server.label);
  let listed: ListedMessagesRequest | null = null;
  try {
    listed = await whileClientWaits(ctx.req.socket, async (signal) => {
      const listings = await sessions.list(new Set(pinned), signal);
      const whole = parse({ ...mcpOfferOf({ ctx }), listings });
      const serverTools = [...whole.mcpTools].map(([name, tool]) =>
        mcpServerTool(sessions, name, tool.server, tool.name),
      );
      return { parsed: whole, serverTools, close: () => sessions.close() };
    });
    return listed;
  } finally {
    if (listed === null) sessions.close();
  }
}
