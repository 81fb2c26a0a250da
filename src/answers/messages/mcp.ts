/** The MCP servers of a messages request: their tools are listed before the model begins. */
import type { McpOffer } from "../../dialects/anthropic-messages/mcp/servers.js";
import type { AnswerContext } from "../context.js";
import type { Asking } from "../endpoint.js";
import { mcpServerTool, openMcpSessions } from "../mcp/sessions.js";
import { parseMessages, type MessagesAnswer } from "./parse.js";

/** The version of the API without toolsets. */
const olderBeta = "mcp-client-2025-04-04";

/** Returns what a request may do with MCP servers before any has listed its tools; null: a line of a batch can have none. */
export function offerMcp({ header, isLine }: Asking): McpOffer | null {
  if (isLine) return null;
  const betas = header("anthropic-beta")
    .split(",")
    .map((beta) => beta.trim());
  const clients = betas.filter((beta) => beta.startsWith("mcp-client-"));
  return { listings: new Map(), needsToolsets: clients.length > 0 && !clients.includes(olderBeta) };
}

/**
 * Lists the tools of the servers, and parses the request again with them.
 * @returns the request; it closes the sessions with the servers
 * @throws HearthError `invalid_value`, or `dependency_failed` for a server whose tools cannot be listed. @throws the signal's reason.
 */
export async function listMessagesTools(
  { mcp }: AnswerContext,
  asking: Asking,
  answer: MessagesAnswer,
): Promise<MessagesAnswer> {
  const { mcpServers } = answer;
  const offer = offerMcp(asking);
  if (mcpServers.length === 0 || offer === null) return answer;
  const servers = mcpServers.map(({ server }) => server);
  const sessions = openMcpSessions(mcp, servers, "mcp_servers");
  const pinned = mcpServers.filter((each) => each.pinned !== null).map(({ server }) => server.label);
  try {
    const listings = await sessions.list(new Set(pinned), asking.signal);
    const whole = parseMessages(answer.whole, asking.bodyText, { ...offer, listings });
    const serverTools = [...whole.mcpTools].map(([name, tool]) =>
      mcpServerTool(sessions, name, tool.server, tool.name),
    );
    return { ...whole, serverTools, close: () => sessions.close() };
  } catch (thrown) {
    sessions.close();
    throw thrown;
  }
}
