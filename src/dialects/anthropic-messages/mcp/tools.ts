/** The tools of MCP servers among the tools of a messages request. Pure. */
import type { Tool } from "../../../core/generation.js";
import { invalidValue } from "../../field-error.js";
import { mcpSchemaPath, offerMcpTools, type McpListings } from "../../mcp-tools.js";
import type { MessagesMcpServer } from "./servers.js";

/** A tool of an MCP server. */
export interface McpToolName {
  readonly server: string;
  /** As the server lists it. */
  readonly name: string;
}

/** Tools of MCP servers by the name that the model knows. */
export type McpToolNames = ReadonlyMap<string, McpToolName>;

interface OfferedMessagesServers {
  readonly tools: readonly { readonly tool: Tool; readonly schemaPath: string }[];
  readonly names: McpToolNames;
  /** Whether the tools of every server are known. */
  readonly isListed: boolean;
}

/** Returns the tools that servers have listed and the request allows. @param taken names of other tools */
export function offerMessagesServers(
  servers: readonly MessagesMcpServer[],
  listings: McpListings,
  taken: ReadonlySet<string>,
): OfferedMessagesServers {
  const used = new Set(taken);
  const offered = servers.flatMap(({ server: { label }, param, pinned, allows }) => {
    const allowed = (pinned ?? listings.get(label) ?? []).filter(({ name }) => allows(name));
    return offerMcpTools(label, allowed, used, param).map((each) => ({ ...each, param }));
  });
  return {
    tools: offered.map(({ tool, param }) => ({ tool, schemaPath: mcpSchemaPath(param) })),
    names: new Map(
      offered.map(({ tool, label, listed }) => [tool.name, { server: label, name: listed.name }] as const),
    ),
    isListed: servers.every(({ server, pinned }) => pinned !== null || listings.has(server.label)),
  };
}

/**
 * Returns the tool that a tool choice names: by the name that the model knows, by `{server}_{name}`, or by its own name where it is the
 * only one of that name.
 * @returns null when there is none. @throws HearthError `invalid_value` when there are several.
 */
export function chosenMessagesMcpTool(choice: string, names: McpToolNames): string | null {
  if (names.has(choice)) return choice;
  const all = [...names];
  const composed = all.filter(([, { server, name }]) => `${server}_${name}` === choice);
  const found = composed.length > 0 ? composed : all.filter(([, { name }]) => name === choice);
  if (found.length > 1) throw invalidValue("tool_choice.name", "is the name of tools of several MCP servers");
  return found[0]?.[0] ?? null;
}
