/** The part of the composition root that builds what connects to MCP servers. */
import type { Config } from "../../config/config.js";
import type { McpConnector } from "../../core/tools/mcp-servers.js";
import { createMcpConnector } from "../../inference/mcp/connector.js";
import { readAllowedHosts } from "../../network/hosts.js";
import { version } from "../../system/version.js";
import type { TracedDeps } from "../system-deps.js";

/** Builds the connector; nothing is connected yet. @throws Error naming the invalid host in `mcpHosts`. */
export function buildMcp(config: Config, { clock, logger, tracing }: TracedDeps): McpConnector {
  const { mcpTimeoutMs, mcpResultBytesMax, mcpToolsMax, mcpServersMax } = config;
  return createMcpConnector({
    clock,
    version,
    allowedHosts: readAllowedHosts(config.mcpHosts, "mcpHosts"),
    limits: { timeoutMs: mcpTimeoutMs, resultBytesMax: mcpResultBytesMax, toolsMax: mcpToolsMax },
    serversMax: mcpServersMax,
    headers: () => tracing.headers(),
    log: (message) => logger.warn({ engine: "mcp" }, message),
  });
}
