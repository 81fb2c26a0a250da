/**
 * What is done with the MCP servers of a response before its model begins: the tools of servers whose list is not in the conversation
 * are listed, and the calls that the user has allowed are executed.
 */
import type { McpConnector } from "../../core/mcp/servers.js";
import type { OpeningItem } from "../../dialects/openai-responses/mcp/output-items.js";
import {
  approvedCalls,
  listedBefore,
  type ApprovedCall,
} from "../../dialects/openai-responses/mcp/history.js";
import { hasSecrets } from "../../dialects/openai-responses/mcp/servers.js";
import { withToolsOfItems, type ResponsesRequest } from "../../dialects/openai-responses/parse.js";
import { invalidValue } from "../../dialects/field-error.js";
import type { ServerTool } from "../../inference/run/run-deps.js";
import { mcpServerTool, openMcpSessions, type McpSessions } from "../mcp/sessions.js";
import { allOf, type RequestItems } from "./conversation-items.js";

export interface McpDeps {
  readonly mcp: McpConnector;
}

/** A request whose MCP servers have listed their tools. */
export interface ListedRequest {
  readonly request: ResponsesRequest;
  /** What executes the calls of the servers' tools. */
  readonly mcpTools: readonly ServerTool[];
  /** Ends the sessions: called when the run has ended, or will not begin. */
  close(): void;
}

/** Calls that one request may allow. */
const approvedCallsMax = 32;

/**
 * @param request as parsed without lists of tools
 * @param executes whether the calls that the user has allowed are executed.
 * @throws HearthError `invalid_value`, or `dependency_failed` for a server whose tools cannot be listed. @throws the signal's reason.
 */
export async function listMcpTools(
  { mcp }: McpDeps,
  request: ResponsesRequest,
  items: RequestItems,
  signal: AbortSignal,
  executes = true,
): Promise<ListedRequest> {
  const { mcpServers } = request;
  const all = allOf(items);
  const approved = approvedCalls(items.before, items.ownInput);
  if (mcpServers.length === 0 && approved.length === 0)
    return { request, mcpTools: [], close: () => undefined };
  const servers = mcpServers.map(({ server }) => server);
  const sessions = openMcpSessions(mcp, servers, "tools");
  try {
    const known = listedBefore(all);
    const listed = await sessions.list(new Set(known.keys()), signal);
    const parsed = withToolsOfItems(request, all, new Map([...known, ...listed]));
    const lists = [...listed].map(([label, tools]): OpeningItem => ({
      type: "mcp_list_tools",
      status: "completed",
      server_label: label,
      tools: tools.map(({ name, description, inputSchema: input_schema, annotations }) => ({
        name,
        description,
        input_schema,
        annotations,
      })),
      error: null,
    }));
    refuseOthers(approved, parsed);
    const calls = executes ? await execute(sessions, approved, signal) : [];
    return {
      request: { ...parsed, opening: [...lists, ...calls] },
      mcpTools: serverToolsOf(sessions, parsed),
      close: () => sessions.close(),
    };
  } catch (thrown) {
    sessions.close();
    throw thrown;
  }
}

/**
 * Checks the MCP servers of a background response, whose work begins later.
 * @throws HearthError `invalid_value` for servers that are not allowed, or that need what is never stored.
 */
export function checkBackgroundServers({ mcp }: McpDeps, { mcpServers }: ResponsesRequest): void {
  for (const { body, param } of mcpServers)
    if (hasSecrets(body))
      throw invalidValue(param, "has headers or an authorization, which a background response would store");
  openMcpSessions(
    mcp,
    mcpServers.map(({ server }) => server),
    "tools",
  ).close();
}

/** @throws HearthError `invalid_value` for calls of tools that are not among those of the request, or too many. */
function refuseOthers(approved: readonly ApprovedCall[], { callForms }: ResponsesRequest): void {
  const [first] = approved;
  if (first !== undefined && approved.length > approvedCallsMax)
    throw invalidValue(
      first.param,
      `is one of ${approved.length} allowed calls; at most ${approvedCallsMax} are executed`,
    );
  for (const { label, name, param } of approved) {
    const isOffered = [...callForms.values()].some(
      (form) =>
        (form.type === "mcp" || form.type === "mcp_approval") && form.label === label && form.name === name,
    );
    if (!isOffered)
      throw invalidValue(
        param,
        `allows a call of the MCP server '${label.slice(0, 64)}' that is not among the tools`,
      );
  }
}

async function execute(
  sessions: McpSessions,
  approved: readonly ApprovedCall[],
  signal: AbortSignal,
): Promise<readonly OpeningItem[]> {
  const items: OpeningItem[] = [];
  for (const { approvalRequestId, label, name, arguments: json } of approved) {
    const { failed, content, shown = content } = await sessions.call(label, name, json, signal);
    items.push({
      type: "mcp_call",
      status: failed ? "failed" : "completed",
      approval_request_id: approvalRequestId,
      server_label: label,
      name,
      arguments: json,
      output: failed ? null : shown,
      error: failed ? shown : null,
    });
  }
  return items;
}

function serverToolsOf(sessions: McpSessions, { callForms }: ResponsesRequest): readonly ServerTool[] {
  return [...callForms].flatMap(([name, form]) =>
    form.type === "mcp" ? [mcpServerTool(sessions, name, form.label, form.name)] : [],
  );
}
