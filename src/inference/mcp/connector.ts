/** Opens sessions with the MCP servers that requests name, as far as the operator allows these. */
import type { McpConnector, McpServer } from "../../core/tools/mcp-servers.js";
import { HearthError } from "../../core/errors.js";
import { openMcpSession, type McpSessionDeps } from "./session.js";

interface McpConnectorDeps extends McpSessionDeps {
  /** Servers that one request may name. */
  readonly serversMax: number;
}

const urlCharsMax = 8192;

/** Creates the connector; nothing is loaded or sent before the first session is used. */
export function createMcpConnector(deps: McpConnectorDeps): McpConnector {
  return {
    serversMax: deps.serversMax,
    open(server) {
      if (deps.allowedHosts.isEmpty)
        throw refused(server, "names an MCP server; this server uses none (setting mcpHosts)");
      const url = readUrl(server);
      if (!deps.allowedHosts.allow(url))
        throw refused(server, "leads to a host that this server does not connect to (setting mcpHosts)");
      return openMcpSession(deps, server, url);
    },
  };
}

function readUrl(server: McpServer): URL {
  const { url: text } = server;
  const url = text.length <= urlCharsMax && URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:"))
    throw refused(server, `must be an http or https URL of at most ${urlCharsMax} characters`);
  if (url.username !== "" || url.password !== "")
    throw refused(server, "must not hold a user name or a password");
  return url;
}

function refused({ param }: McpServer, problem: string): HearthError {
  return new HearthError("invalid_value", `${param}: ${problem}`, { param });
}
