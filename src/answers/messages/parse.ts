import type { McpOffer } from "../../dialects/anthropic-messages/mcp/servers.js";
import { parseMessagesRequest, type MessagesRequest } from "../../dialects/anthropic-messages/parse.js";
import type { AppliedEdit } from "../../core/prompt/context-edit.js";
import type { ReadyRequest } from "../endpoint.js";

/** A messages request, and what was done for it. */
export interface MessagesAnswer extends MessagesRequest, ReadyRequest {
  /** Its body with the contents of its files. */
  readonly whole: unknown;
  /** What was cleared of its conversation; null: it does not ask for that. */
  readonly appliedEdits: readonly AppliedEdit[] | null;
}

export function parseMessages(
  whole: unknown,
  bodyText: string | null,
  offer: McpOffer | null,
): MessagesAnswer {
  const parsed = parseMessagesRequest(whole, bodyText, offer);
  return { ...parsed, whole, appliedEdits: parsed.edits === null ? null : [] };
}
