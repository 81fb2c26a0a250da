/** A server over the scripted engine that may connect to a test MCP server, and Anthropic's official client. */
import type {
  BetaMCPToolset,
  BetaMessage,
  BetaRequestMCPServerURLDefinition,
} from "@anthropic-ai/sdk/resources/beta/messages/messages";
import type { Script } from "../../../../kit/scripted/engine.js";
import type { TestMcpServer } from "../../../../kit/doubles/mcp-server.js";
import { startServer } from "../../../../kit/server.js";
import { anthropicOf } from "../../../anthropic.js";
import { adds } from "../../responses/mcp/app.js";

export const older = ["mcp-client-2025-04-04"];
export const newer = ["mcp-client-2025-11-20"];

export async function start(mcp: TestMcpServer, script: Script = adds, config: object = {}) {
  const server = await startServer({
    engine: script,
    contextTokens: 4_000,
    config: { mcpHosts: [mcp.host], ...config },
  });
  return { server, client: anthropicOf(server) };
}

export function serverOf(
  mcp: TestMcpServer,
  changes: Partial<BetaRequestMCPServerURLDefinition> = {},
): BetaRequestMCPServerURLDefinition {
  return { type: "url", name: "math", url: mcp.url, ...changes };
}

export function toolsetOf(changes: Partial<BetaMCPToolset> = {}): BetaMCPToolset {
  return { type: "mcp_toolset", mcp_server_name: "math", ...changes };
}

export const question = {
  model: "ember-1m",
  max_tokens: 500,
  messages: [{ role: "user" as const, content: "What is 2 + 3?" }],
};

export function textOf({ content }: BetaMessage): string {
  return content.map((block) => (block.type === "text" ? block.text : "")).join("");
}
