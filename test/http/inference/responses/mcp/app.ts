/** A server over the scripted engine that may connect to a test MCP server, what its model says, and the official clients. */
import type { Tool } from "openai/resources/responses/responses";
import type { Script, ScriptStep } from "../../../../kit/scripted/engine.js";
import type { TestMcpServer } from "../../../../kit/doubles/mcp-server.js";
import { startServer } from "../../../../kit/server.js";
import { clientOf } from "../../../../kit/server/requests.js";
import { anthropicOf } from "../../../anthropic.js";
import { keys } from "../../../../kit/server/six-keys.js";

/** A secret of a request. */
export const secret = "s3cret-t0ken-of-a-client";

/** A call of a tool by the name that the model knows. */
export function calling(name: string, args: object): readonly ScriptStep[] {
  return [
    { type: "tool-call-start", choice: 0, index: 0, id: `call_${name}`, name, tokens: 2 },
    { type: "tool-call-delta", choice: 0, index: 0, arguments: JSON.stringify(args), tokens: 3 },
    { type: "tool-call-end", choice: 0, index: 0, tokens: 1 },
    { type: "generation-end", choice: 0, finishReason: "tool_calls", stopSequence: null },
  ];
}

/** Calls `add` once, and then repeats the last line of its prompt. */
export const adds: Script = (prompt) =>
  prompt.includes("tool: ") ? [`The answer is ${lastLine(prompt)}`] : calling("math__add", { a: 2, b: 3 });

/** The last line of the prompt, before the first line of the answer. */
export const lastLine = (prompt: string): string => prompt.trim().split("\n").at(-2) ?? "";

/** Starts a server whose setting allows the MCP server. */
export async function start(mcp: TestMcpServer, script: Script = adds, config: object = {}) {
  const server = await startServer({
    engine: script,
    contextTokens: 4_000,
    config: { mcpHosts: [mcp.host], ...config },
  });
  return { server, client: clientOf(server.url, keys.ada), anthropic: anthropicOf(server) };
}

export function toolOf(mcp: TestMcpServer, changes: Partial<Tool.Mcp> = {}): Tool.Mcp {
  return { type: "mcp", server_label: "math", server_url: mcp.url, require_approval: "never", ...changes };
}

export const input = "What is 2 + 3?";
export const model = "ember-1m";
