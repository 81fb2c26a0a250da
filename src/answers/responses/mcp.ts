/**
 * What is done with the MCP servers of a response that was admitted, before its run: the tools of servers whose list is not in the
 * conversation are listed. The calls that the user has allowed are prepared here and executed by the run.
 */
import type { McpConnector } from "../../core/tools/mcp-servers.js";
import type { AllowedMcpCall, OpeningItem } from "../../dialects/openai-responses/items/mcp/output-items.js";
import {
  approvedCalls,
  listedBefore,
  type ApprovedCall,
} from "../../dialects/openai-responses/items/mcp/history.js";
import { hasSecrets } from "../../dialects/openai-responses/tools/mcp/servers.js";
import { withToolsOfItems, type ResponsesRequest } from "../../dialects/openai-responses/parse.js";
import { invalidValue } from "../../dialects/field-error.js";
import type { AllowedCall, ServerTool } from "../../inference/run/run-context.js";
import type { McpApprovals } from "../mcp/approvals.js";
import { mcpServerTool, openMcpSessions, type McpSessions } from "../mcp/sessions.js";
import { joinItems, type RequestItems } from "./conversation-items.js";

interface McpDeps {
  readonly mcp: McpConnector;
}

/** A request whose MCP servers have listed their tools. */
interface ListedRequest {
  readonly request: ResponsesRequest;
  /** What executes the calls of the servers' tools. */
  readonly mcpTools: readonly ServerTool[];
  /** Returns the calls that the user has allowed, as the run executes them: each at most once, whatever happens to the run. */
  allowedCalls(approvals: McpApprovals, teamId: string): readonly AllowedCall[];
  /** Ends the sessions: called when the run has ended, or will not begin. */
  close(): void;
}

/** Calls that one request may allow. */
const approvedCallsMax = 32;

/**
 * @param request as parsed without lists of tools
 * @throws HearthError `invalid_value`, or `dependency_failed` for a server whose tools cannot be listed. @throws the signal's reason.
 */
export async function listMcpTools(
  { mcp }: McpDeps,
  request: ResponsesRequest,
  items: RequestItems,
  signal: AbortSignal,
): Promise<ListedRequest> {
  const { mcpServers } = request;
  const all = joinItems(items);
  const approved = approvedCalls(items.before, items.ownInput);
  if (mcpServers.length === 0 && approved.length === 0)
    return { request, mcpTools: [], allowedCalls: () => [], close: () => undefined };
  const servers = mcpServers.map(({ server }) => server);
  const sessions = openMcpSessions(mcp, servers, "tools");
  try {
    const known = listedBefore(all);
    const listed = await sessions.list(new Set(known.keys()), signal);
    const parsed = withToolsOfItems(request, all, new Map([...known, ...listed]));
    refuseTooMany(approved);
    const named = approved.map((call) => ({ call, name: offeredName(parsed, call) }));
    const allowedCalls = new Map(
      approved.map((call) => [toCallId(call), call] satisfies [string, AllowedMcpCall]),
    );
    return {
      request: { ...parsed, opening: listItems(listed), allowedCalls },
      mcpTools: toServerTools(sessions, parsed),
      allowedCalls: (approvals, teamId) =>
        named.map(({ call, name }) => ({
          id: toCallId(call),
          arguments: call.arguments,
          tool: usedOnce(approvals, teamId, call, mcpServerTool(sessions, name, call.label, call.name)),
        })),
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

/**
 * Refuses a request that allows a call which was executed before.
 * @throws HearthError `invalid_value` that names the approval.
 */
export async function refuseUsedApprovals(
  approvals: McpApprovals,
  { before, ownInput }: RequestItems,
  teamId: string,
): Promise<void> {
  const approved = approvedCalls(before, ownInput);
  refuseTooMany(approved);
  if (approved.length === 0) return;
  const used = await approvals.used(
    teamId,
    approved.map(({ approvalRequestId }) => approvalRequestId),
  );
  for (const { approvalRequestId, param } of approved)
    if (used.has(approvalRequestId))
      throw invalidValue(
        param,
        "allows a call that an earlier request has executed: continue from its response, or have the model request the call again",
      );
}

function listItems(listed: Awaited<ReturnType<McpSessions["list"]>>): readonly OpeningItem[] {
  return [...listed].map(([label, tools]): OpeningItem => ({
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
}

function refuseTooMany(approved: readonly ApprovedCall[]): void {
  const [first] = approved;
  if (first !== undefined && approved.length > approvedCallsMax)
    throw invalidValue(
      first.param,
      `is one of ${approved.length} allowed calls; at most ${approvedCallsMax} are executed`,
    );
}

/** Returns the name by which the model calls the tool. @throws HearthError `invalid_value` for a tool that the request does not have. */
function offeredName({ callForms }: ResponsesRequest, { label, name, param }: ApprovedCall): string {
  const offered = [...callForms].find(
    ([, form]) =>
      (form.type === "mcp" || form.type === "mcp_approval") && form.label === label && form.name === name,
  );
  if (offered !== undefined) return offered[0];
  throw invalidValue(
    param,
    `allows a call of the MCP server '${label.slice(0, 64)}' that is not among the tools`,
  );
}

function toCallId({ approvalRequestId }: ApprovedCall): string {
  return `call_${approvalRequestId}`;
}

/** The approval is used before the call begins: a process that dies in between executes it not at all, and no other does it again. */
function usedOnce(
  approvals: McpApprovals,
  teamId: string,
  { approvalRequestId }: ApprovedCall,
  tool: ServerTool,
): ServerTool {
  return {
    name: tool.name,
    async run(call) {
      await approvals.use(teamId, approvalRequestId);
      return tool.run(call);
    },
  };
}

function toServerTools(sessions: McpSessions, { callForms }: ResponsesRequest): readonly ServerTool[] {
  return [...callForms].flatMap(([name, form]) =>
    form.type === "mcp" ? [mcpServerTool(sessions, name, form.label, form.name)] : [],
  );
}
