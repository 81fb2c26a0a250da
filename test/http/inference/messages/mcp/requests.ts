/** What a message says of a test MCP server. */
import type {
  BetaMCPToolset,
  BetaMessage,
  BetaRequestMCPServerURLDefinition,
} from "@anthropic-ai/sdk/resources/beta/messages/messages";
import type { TestMcpServer } from "../../../../kit/doubles/mcp-server.js";

export const older = ["mcp-client-2025-04-04"];
export const newer = ["mcp-client-2025-11-20"];

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
