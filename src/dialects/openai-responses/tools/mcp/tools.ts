/** The tools of MCP servers among the tools of a responses request. Pure. */
import type { McpServer } from "../../../../core/tools/mcp-servers.js";
import { invalidValue } from "../../../field-error.js";
import { mcpSchemaPath, offerMcpTools, type OfferedMcpTool } from "../../../mcp-tools.js";
import type { ReadTool } from "../read-tool.js";
import type { ToolBody } from "../schema.js";
import type { ServerToolOffer } from "../server-tools.js";
import type { ChosenMcpTool, McpToolBody } from "./schema.js";
import { allowedMcpTools, toMcpServer, needsApproval } from "./servers.js";

/** An MCP server that a request names. */
export interface RequestedMcpServer {
  readonly server: McpServer;
  readonly body: McpToolBody;
  /** The field of the tool. */
  readonly param: string;
}

/** @throws HearthError `invalid_value` for a server that is not complete, or has the label of another. */
export function readMcpServers(
  bodies: readonly ToolBody[],
  { mcp }: ServerToolOffer,
): readonly RequestedMcpServer[] {
  const labels = new Set<string>();
  if (mcp === undefined) return [];
  return bodies.flatMap((body, index): readonly RequestedMcpServer[] => {
    if (body.type !== "mcp") return [];
    const param = `tools.${index}`;
    if (labels.has(body.server_label))
      throw invalidValue(`${param}.server_label`, "is already the label of another server");
    labels.add(body.server_label);
    return [{ server: toMcpServer(body, param), body, param }];
  });
}

interface OfferedServers {
  readonly offered: readonly (ReadTool & { readonly mcp: OfferedMcpTool })[];
  /** Whether every server has listed its tools. */
  readonly isListed: boolean;
}

/** Returns the tools that servers have listed and the request allows. @param taken other tools by name */
export function offerMcpServers(
  servers: readonly RequestedMcpServer[],
  { mcp }: ServerToolOffer,
  taken: ReadonlyMap<string, unknown>,
): OfferedServers {
  const names = new Set(taken.keys());
  const offered = servers.flatMap(({ server: { label }, body, param }) => {
    const allowed = allowedMcpTools(body, mcp?.get(label) ?? []);
    return offerMcpTools(label, allowed, names, param).map((each) => {
      const type = needsApproval(body, each.listed) ? "mcp_approval" : "mcp";
      const form = { type, label, name: each.listed.name } as const;
      return {
        tool: each.tool,
        form,
        param,
        schemaPath: mcpSchemaPath(param),
        warnings: [],
        server: null,
        mcp: each,
      };
    });
  });
  return { offered, isListed: servers.every(({ server }) => mcp?.has(server.label) === true) };
}

/** Returns the names by which the model calls a tool of a server, or all of them; none if there is no such tool. */
export function namesOfMcp(
  { server_label: label, name }: ChosenMcpTool,
  all: readonly ReadTool[],
): readonly string[] {
  const names = all.flatMap(({ tool, form }) =>
    (form.type === "mcp" || form.type === "mcp_approval") &&
    form.label === label &&
    (name ?? form.name) === form.name
      ? [tool.name]
      : [],
  );
  if (names.length === 0)
    throw invalidValue(
      "tool_choice",
      `names a tool of the MCP server '${label.slice(0, 64)}', which is not among the tools`,
    );
  return names;
}
