/** Parses the requests of POST /v1/messages and /v1/messages/count_tokens into a GenerationRequest. Pure. */
import type { ContextEdit } from "../../core/prompt/context-edit.js";
import type { GenerationRequest } from "../../core/generation.js";
import { parseContinuation } from "../generation/continuation.js";
import { parseEngineFields } from "../generation/engine-fields.js";
import { chooseFormat, type StatedFormat } from "../generation/format-fields.js";
import { parseMaxTokens, parseSampling, parseStops } from "../generation/sampling.js";
import { invalidValue, validFields } from "../field-error.js";
import { readRunLabels } from "../run-labels.js";
import type { McpListings } from "../mcp-tools.js";
import { withSchemaTexts } from "../schema-texts.js";
import { parseContextEdits } from "./context-management.js";
import { readMessagesServers, reportedLists, type McpOffer, type MessagesMcpServer } from "./mcp/servers.js";
import type { McpToolNames } from "./mcp/tools.js";
import { messagesRequestSchema, type MessagesRequestBody } from "./schema.js";
import { parseThinking, type ThinkingDisplay } from "./thinking.js";
import { parseMessagesTools } from "./tools/parse.js";
import type { CitedDocuments } from "./documents/cited.js";
import { parseTurns } from "./turns.js";

export interface MessagesRequest {
  readonly request: GenerationRequest;
  readonly stream: boolean;
  readonly thinking: ThinkingDisplay;
  /** The documents that the answer may cite; there may be none. */
  readonly documents: CitedDocuments;
  /** Edits to apply to the conversation first; null: the request has no `context_management`. */
  readonly edits: readonly ContextEdit[] | null;
  readonly mcpServers: readonly MessagesMcpServer[];
  /** Tools that MCP servers have listed. */
  readonly mcpTools: McpToolNames;
  /** The lists of tools that the answer has: those for which servers were asked. */
  readonly mcpLists: McpListings;
}

/**
 * Parses a request body. The body of a count_tokens request is the same without `max_tokens`.
 * @param bodyText the JSON text of the body if it may have numbers that JSON.parse rounds; schemas and the inputs of calls keep them.
 * @param offer absent: a request with MCP servers is rejected.
 * @throws HearthError that names the field: `invalid_field` if it is missing or has the wrong type, `invalid_value` if its value
 * is out of range or not supported.
 */
export function parseMessagesRequest(
  body: unknown,
  bodyText: string | null = null,
  offer: McpOffer | null = null,
): MessagesRequest {
  const fields = validFields(messagesRequestSchema, body);
  const mcpServers = readMessagesServers(fields, offer);
  const listings: McpListings = offer?.listings ?? new Map();
  const { schemaPaths, warnings, mcpTools, ...tools } = parseMessagesTools(fields, mcpServers, listings);
  const { messages, prefill, documents } = parseTurns(fields, bodyText, mcpTools);
  const { reasoning, display } = parseThinking(fields);
  const { format, formatParam, formatPath } = readFormat(fields);
  if (parseContinuation(fields, prefill !== null) && prefill === null)
    throw invalidValue(
      `messages.${fields.messages.length - 1}`,
      "cannot be continued: it is not a text of the assistant",
    );
  if (prefill !== null && reasoning.reasoningEffort !== "none")
    throw invalidValue(prefill.param, "cannot be continued with thinking enabled");
  if (prefill !== null && format.type !== "text")
    throw invalidValue(prefill.param, `cannot be continued with ${formatParam}`);
  if (documents.size > 0 && format.type !== "text")
    throw invalidValue(formatParam, "cannot be combined with citations: the text of the answer has them");
  const maxTokens = parseMaxTokens(fields.max_tokens);
  const engine = parseEngineFields(fields, maxTokens);
  const request: GenerationRequest = {
    model: fields.model,
    messages,
    prefill: prefill?.text,
    ...tools,
    format,
    schemaPaths: { format: formatPath, tools: schemaPaths },
    ...reasoning,
    sampling: parseSampling(fields),
    topLogprobs: null,
    choices: 1,
    stop: [...new Set([...(fields.stop_sequences ?? []), ...parseStops(fields)])],
    maxTokens,
    maxTokensExcludesReasoning: false,
    deterministic: fields.deterministic ?? false,
    ...engine,
    warnings: [...warnings, ...engine.warnings],
    labels: readRunLabels({ user: fields.metadata?.user_id }),
  };
  return {
    request: withSchemaTexts(request, bodyText),
    stream: fields.stream ?? false,
    thinking: display,
    documents,
    edits: parseContextEdits(fields.context_management),
    mcpServers,
    mcpTools,
    mcpLists: reportedLists(mcpServers, listings),
  };
}

/** Reads the format of the answer's text and returns it with the name of the field that contains it. */
function readFormat(fields: MessagesRequestBody): StatedFormat & { readonly formatParam: string } {
  const { output_config: config, output_format: older } = fields;
  const requested = config?.format ?? older;
  const own = config?.format == null && older != null ? "output_format" : "output_config.format";
  const formatPath = `${own}.schema`;
  const stated: StatedFormat =
    requested == null
      ? { format: { type: "text" }, formatPath }
      : { format: { type: "json-schema", schema: requested.schema }, formatPath };
  const chosen = chooseFormat(stated, own, fields);
  return { ...chosen, formatParam: chosen === stated ? own : chosen.formatPath };
}
