/** The sessions with the MCP servers of one request, and what lists and calls their tools. */
import { HearthError } from "../../core/errors.js";
import type {
  McpConnector,
  McpResult,
  McpServer,
  McpSession,
  McpTool,
} from "../../core/tools/mcp-servers.js";
import type { ServerCallResult } from "../../core/tools/server-call.js";
import type { ServerTool } from "../../inference/run/run-context.js";

export type McpSessions = ReturnType<typeof openMcpSessions>;

/**
 * Opens sessions; nothing is sent yet.
 * @param param the field that names the servers. @throws HearthError `invalid_value` for too many servers, or one that is not allowed.
 */
export function openMcpSessions(mcp: McpConnector, servers: readonly McpServer[], param: string) {
  if (servers.length > mcp.serversMax) {
    const message = `${param}: names ${servers.length} MCP servers; at most ${mcp.serversMax} are allowed (setting mcpServersMax)`;
    throw new HearthError("invalid_value", message, { param });
  }
  const sessions = new Map<string, McpSession>();
  for (const server of servers) sessions.set(server.label, mcp.open(server));
  return {
    /**
     * Lists the tools of the servers that are not in `known`, at the same time.
     * @throws HearthError `dependency_failed` for a server whose tools cannot be listed.
     */
    async list(
      known: ReadonlySet<string>,
      signal: AbortSignal,
    ): Promise<ReadonlyMap<string, readonly McpTool[]>> {
      const missing = [...sessions].filter(([label]) => !known.has(label));
      const lists = await Promise.all(
        missing.map(async ([label, session]) => [label, await session.list(signal)] as const),
      );
      return new Map(lists);
    },
    /** Calls a tool; a failure is a result. */
    async call(
      label: string,
      tool: string,
      argumentsJson: string,
      signal: AbortSignal,
    ): Promise<ServerCallResult> {
      const session = sessions.get(label);
      if (session === undefined) throw new Error(`no session with the server ${label}`);
      return toResult(await session.call(tool, argumentsJson, signal));
    },
    /** Ends all sessions. */
    close: (): void => sessions.forEach((session) => session.close()),
  };
}

/** Returns what executes the calls of a tool. @param name by which the model calls it */
export function mcpServerTool(sessions: McpSessions, name: string, label: string, tool: string): ServerTool {
  return {
    name,
    run: ({ argumentsText, signal }) => sessions.call(label, tool, argumentsText, signal),
  };
}

function toResult({ failed, text, images }: McpResult): ServerCallResult {
  const shown =
    images.length === 0 ? text : [text, ...images.map(() => "[image]")].filter(Boolean).join("\n");
  return {
    failed,
    content: failed ? `Error: ${text}` : text,
    shown,
    images: failed || images.length === 0 ? undefined : images,
    costTicks: 0,
  };
}
