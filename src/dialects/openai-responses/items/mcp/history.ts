/** What a conversation has of MCP servers: listed tools, calls with their results, and approvals. Pure. */
import type { Message, ToolCall } from "../../../../core/generation.js";
import type { McpTool } from "../../../../core/tools/mcp-servers.js";
import { invalidValue } from "../../../field-error.js";
import { mcpToolName, type McpListings } from "../../../mcp-tools.js";
import { wellFormed } from "../../../well-formed.js";
import type { InputItem } from "../input-item-schema.js";
import type { CallForms } from "../../tools/call-forms.js";
import type { McpApprovalRequestInput, McpCallInput } from "./input-items.js";

/** Returns the tools that the conversation has listed: the latest list of each server that has one. */
export function listedBefore(items: readonly InputItem[]): McpListings {
  const listings = new Map<string, readonly McpTool[]>();
  for (const item of items)
    if (item.type === "mcp_list_tools" && item.error == null)
      listings.set(
        item.server_label,
        item.tools.map(({ name, description, input_schema: inputSchema, annotations }) => ({
          name,
          description: description ?? null,
          inputSchema,
          annotations: annotations ?? null,
        })),
      );
  return listings;
}

const approvalIdCharsMax = 200;

/** A call that the user has allowed and that was not executed yet. */
export interface ApprovedCall {
  readonly approvalRequestId: string;
  readonly label: string;
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
  /** The field of the request that allows it. */
  readonly param: string;
}

/**
 * Returns the calls that the request's own items allow.
 * @param before items of the conversation that come before them.
 * @throws HearthError `invalid_value` for the approval of a call that is not there.
 */
export function approvedCalls(
  before: readonly InputItem[],
  own: readonly InputItem[],
): readonly ApprovedCall[] {
  const items = [...before, ...own];
  const requests = approvalRequests(items);
  const settled = new Set(executedApprovals(items));
  // When a request has several answers, a refusal counts.
  for (const item of own)
    if (item.type === "mcp_approval_response" && !item.approve) settled.add(item.approval_request_id);
  return own.flatMap((item, index): readonly ApprovedCall[] => {
    if (item.type !== "mcp_approval_response") return [];
    const param = `input.${index}.approval_request_id`;
    const { approval_request_id: id } = item;
    const requested = requests.get(id);
    if (requested === undefined)
      throw invalidValue(param, `no approval request with the id ${id.slice(0, 64)} is in the conversation`);
    if (settled.has(id)) return [];
    settled.add(id);
    if (id.length > approvalIdCharsMax)
      throw invalidValue(param, `must have at most ${approvalIdCharsMax} characters`);
    const { server_label: label, name, arguments: json } = requested;
    return [{ approvalRequestId: id, label, name, arguments: json, param }];
  });
}

/** A call and its result, as the model reads them. */
interface McpExchange {
  readonly call: ToolCall;
  readonly result: Message;
}

/** Returns the exchanges of a conversation by the index of their item. @param forms the forms of the request's tools */
export function mcpExchanges(
  items: readonly InputItem[],
  forms: CallForms,
): ReadonlyMap<number, McpExchange> {
  const answers = new Map(
    items.flatMap((item) =>
      item.type === "mcp_approval_response" ? [[item.approval_request_id, item] as const] : [],
    ),
  );
  const executed = executedApprovals(items);
  const exchanges = new Map<number, McpExchange>();
  for (const [index, item] of items.entries()) {
    if (item.type === "mcp_call") exchanges.set(index, toExchange(item, index, resultText(item), forms));
    if (item.type !== "mcp_approval_request" || executed.has(item.id)) continue;
    const answer = answers.get(item.id);
    if (answer?.approve === true) continue;
    const reason = answer?.reason == null || answer.reason === "" ? "" : `: ${answer.reason}`;
    const text =
      answer === undefined
        ? "The call was not executed: the user has not allowed it yet."
        : `The call was not executed: the user did not allow it${reason}`;
    exchanges.set(index, toExchange(item, index, text, forms));
  }
  return exchanges;
}

function toExchange(
  item: McpCallInput | McpApprovalRequestInput,
  index: number,
  text: string,
  forms: CallForms,
): McpExchange {
  const { server_label: label, name, arguments: json } = item;
  const known = [...forms].find(
    ([, form]) =>
      (form.type === "mcp" || form.type === "mcp_approval") && form.label === label && form.name === name,
  );
  const id = wellFormed(item.id ?? `mcp_${index}`);
  return {
    call: { id, name: known?.[0] ?? wellFormed(mcpToolName(label, name)), arguments: wellFormed(json) },
    result: { role: "tool", content: wellFormed(text), toolCallId: id },
  };
}

function resultText({ output, error }: McpCallInput): string {
  if (error == null) return output ?? "";
  return `Error: ${typeof error === "string" ? error : (JSON.stringify(error) ?? "")}`;
}

function approvalRequests(items: readonly InputItem[]): ReadonlyMap<string, McpApprovalRequestInput> {
  return new Map(
    items.flatMap((item) => (item.type === "mcp_approval_request" ? [[item.id, item] as const] : [])),
  );
}

/** Returns the ids of approval requests whose calls were executed. */
function executedApprovals(items: readonly InputItem[]): ReadonlySet<string> {
  return new Set(items.flatMap((item) => (item.type === "mcp_call" ? (item.approval_request_id ?? []) : [])));
}
