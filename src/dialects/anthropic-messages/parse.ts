/** Parses the requests of POST /v1/messages and /v1/messages/count_tokens into a GenerationRequest. Pure. */
import type { ContextEdit } from "../../core/prompt/context-edit.js";
import type { AnswerFormat, GenerationRequest } from "../../core/generation.js";
import { parseMaxTokens } from "../generation/sampling.js";
import { parseTopK, parseTopP } from "../request-fields.js";
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
  const { reasoningEffort, budget, display } = parseThinking(fields);
  const { format, formatParam } = readFormat(fields);
  if (prefill !== null && reasoningEffort !== "none")
    throw invalidValue(prefill.param, "cannot be continued with thinking enabled");
  if (prefill !== null && format.type !== "text")
    throw invalidValue(prefill.param, `cannot be continued with ${formatParam}`);
  if (documents.size > 0 && format.type !== "text")
    throw invalidValue(formatParam, "cannot be combined with citations: the text of the answer has them");
  const request: GenerationRequest = {
    model: fields.model,
    messages,
    prefill: prefill?.text,
    ...tools,
    format,
    schemaPaths: { format: `${formatParam}.schema`, tools: schemaPaths },
    reasoningEffort,
    ...budget,
    sampling: readSampling(fields),
    topLogprobs: null,
    choices: 1,
    stop: fields.stop_sequences ?? [],
    maxTokens: parseMaxTokens(fields.max_tokens),
    maxTokensExcludesReasoning: false,
    deterministic: false,
    warnings,
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

function readSampling(fields: MessagesRequestBody): GenerationRequest["sampling"] {
  return {
    temperature: fields.temperature ?? undefined,
    topP: parseTopP(fields.top_p),
    topK: parseTopK(fields.top_k),
  };
}

/** Reads the format of the answer's text and returns it with the name of the field that contains it. */
function readFormat({ output_config: config, output_format: older }: MessagesRequestBody): {
  readonly format: AnswerFormat;
  readonly formatParam: string;
} {
  const requested = config?.format ?? older;
  const formatParam = config?.format == null && older != null ? "output_format" : "output_config.format";
  return {
    format: requested == null ? { type: "text" } : { type: "json-schema", schema: requested.schema },
    formatParam,
  };
}
