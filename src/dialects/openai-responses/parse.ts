/**
 * Parses the requests of POST /v1/responses and /v1/responses/input_tokens. The caller loads the earlier items of the
 * conversation and passes them to `withToolsOfItems` and `generationRequest`. Pure.
 */
import { HearthError } from "../../core/errors.js";
import type { GenerationRequest } from "../../core/generation.js";
import { invalidValue, validFields } from "../field-error.js";
import { parseContinuation, splitContinued } from "../generation/continuation.js";
import { parseEngineFields } from "../generation/engine-fields.js";
import { chooseFormat, type StatedFormat } from "../generation/format-fields.js";
import { parseReasoning } from "../generation/reasoning-fields.js";
import { parseMaxTokens, parseSampling, parseStops } from "../generation/sampling.js";
import { readRunLabels } from "../run-labels.js";
import { withSchemaTexts } from "../schema-texts.js";
import { wellFormed } from "../well-formed.js";
import type { InputItem } from "./items/input-item-schema.js";
import { listReferences } from "./items/items.js";
import { itemsToMessages, summaryHeading, type EarlierItems } from "./items/messages.js";
import { responsesRequestSchema, type ResponsesRequestBody } from "./schema.js";
import { readResponseSettings, type ResponseSettings } from "./settings.js";
import { summaryInstruction, summaryTokensMax } from "./summary.js";
import { addedTools } from "./items/added-tools.js";
import type { CallForms } from "./tools/call-forms.js";
import type { ParsedTools } from "../tool-parameters.js";
import { parseResponsesTools, type AddedTools, type ToolFields } from "./tools/parse.js";
import { noServerTools, type ServerToolOffer, type ServerToolSettings } from "./tools/server-tools.js";
import type { AllowedMcpCall, OpeningItem } from "./items/mcp/output-items.js";
import type { RequestedMcpServer } from "./tools/mcp/tools.js";
import type { McpListings } from "../mcp-tools.js";
import { rejectUnsupportedResponseFields, rejectUnsupportedItems } from "./unsupported-fields.js";

export interface ResponsesRequest {
  readonly model: string;
  /** The input items of the request; references are not yet resolved. */
  readonly input: readonly InputItem[];
  /** The response whose conversation this request continues. */
  readonly previousResponseId: string | null;
  /** The conversation that this request continues. */
  readonly conversationId: string | null;
  /** Whether the response is stored, so that it can be retrieved later. */
  readonly store: boolean;
  /** Whether the response is generated in the background. */
  readonly background: boolean;
  readonly stream: boolean;
  /** Whether the model runs; otherwise the response is empty. */
  readonly generates: boolean;
  readonly settings: ResponseSettings;
  /** Whether reasoning items also contain their text as `encrypted_content`. */
  readonly includesEncryptedReasoning: boolean;
  /** How the calls of the request's tools are written. */
  readonly callForms: CallForms;
  /** The tools whose calls the server executes. */
  readonly serverTools: readonly ServerToolSettings[];
  /** The MCP servers that it names. */
  readonly mcpServers: readonly RequestedMcpServer[];
  /** Items that ended before the model begins: lists of tools. */
  readonly opening: readonly OpeningItem[];
  /** Approval requests of earlier answers whose calls this one executes, by the ids of these calls. */
  readonly allowedCalls: ReadonlyMap<string, AllowedMcpCall>;
  /** The generation request without the conversation. */
  readonly generation: Omit<GenerationRequest, "messages">;
  readonly source: RequestSource;
}

/** What the tools of a request are read from. */
interface RequestSource {
  readonly fields: ResponsesRequestBody;
  readonly bodyText: string | null;
  readonly offer: ServerToolOffer;
}

/**
 * Parses a request body. When items that it refers to can add tools, its tools are the tools of the body alone, and its tool choice is
 * unchecked, until `withToolsOfItems`.
 * @param bodyText the JSON text of the body if it may have numbers that JSON.parse rounds; the schemas keep them.
 * @param offer the tools whose calls the server executes.
 * @throws HearthError that names the field: `invalid_field` if it is missing or has the wrong type, `invalid_value` if its value
 * is out of range or not supported.
 */
export function parseResponsesRequest(
  body: unknown,
  bodyText: string | null = null,
  offer: ServerToolOffer = noServerTools,
): ResponsesRequest {
  const fields = validFields(responsesRequestSchema, body);
  rejectUnsupportedResponseFields(fields);
  const store = fields.store ?? true;
  const background = fields.background ?? false;
  if (background && !store) throw invalidValue("background", "needs a response that is stored");
  const input = readResponseInput(fields);
  const source = { fields, bodyText, offer };
  const toolFields = hasOtherItems(fields, input) ? { ...fields, tool_choice: null } : fields;
  return {
    ...withTools(source, ownTools(input), toolFields),
    source,
    opening: [],
    allowedCalls: new Map(),
    model: fields.model,
    input,
    previousResponseId: fields.previous_response_id ?? null,
    conversationId: readConversation(fields),
    store,
    background,
    stream: fields.stream ?? false,
    generates: fields.generate ?? true,
    includesEncryptedReasoning: fields.include?.includes("reasoning.encrypted_content") ?? false,
  };
}

/**
 * Returns the request with the tools that the items which it refers to have added, and with the tools of its MCP servers.
 * @param items as for `generationRequest`.
 * @param listings what the MCP servers have listed; absent = nothing yet.
 * @throws HearthError as `parseResponsesRequest`, also for tools of the earlier items and for a tool choice that none of them has.
 */
export function withToolsOfItems(
  request: ResponsesRequest,
  items: readonly InputItem[],
  listings?: McpListings,
): ResponsesRequest {
  const { source, input } = request;
  if (listings === undefined && !hasOtherItems(source.fields, input)) return request;
  const { count, field } = toEarlierItems(request, items);
  const added = [...addedTools(items.slice(0, count), () => field), ...ownTools(items.slice(count))];
  const offer = listings === undefined ? source.offer : { ...source.offer, mcp: listings };
  return { ...request, ...withTools({ ...source, offer }, added, source.fields) };
}

/** Returns whether a request refers to items that are not in it. */
function hasOtherItems(fields: ResponsesRequestBody, input: readonly InputItem[]): boolean {
  const { previous_response_id: previous, conversation } = fields;
  return previous != null || conversation != null || listReferences(input).length > 0;
}

function ownTools(input: readonly InputItem[]): readonly AddedTools[] {
  return addedTools(input, (index) => `input.${index}.tools`);
}

/** @param toolFields the fields of the request, or those with another tool choice. */
function withTools(
  { fields, bodyText, offer }: RequestSource,
  added: readonly AddedTools[],
  toolFields: ToolFields,
) {
  const { callForms, serverTools, mcpServers, ...tools } = parseResponsesTools(toolFields, offer, added);
  return {
    callForms,
    serverTools,
    mcpServers,
    settings: readResponseSettings(fields, new Set(serverTools.map(({ type }) => type))),
    generation: withSchemaTexts(toGeneration(fields, tools), bodyText),
  };
}

/**
 * Returns the complete generation request.
 * @param items the earlier items of the conversation, then the request's input with resolved references.
 * @throws HearthError `invalid_value` for a last message that cannot be continued, and items that cannot be read.
 */
export function generationRequest(request: ResponsesRequest, items: readonly InputItem[]): GenerationRequest {
  const { generation, settings, callForms, input } = request;
  const earlier = toEarlierItems(request, items);
  const messages = toConversation(settings.instructions, items, earlier, callForms);
  const last = input.at(-1);
  const isPrefix = last?.type === "message" && last.role === "assistant" && last.prefix === true;
  if (!parseContinuation(request.source.fields, isPrefix)) return { ...generation, messages };
  const param = input.length === 0 ? "continue_final_message" : `input.${input.length - 1}`;
  return { ...generation, ...splitContinued(messages, generation.format, param), reasoningEffort: "none" };
}

function toEarlierItems(
  { input, conversationId }: ResponsesRequest,
  items: readonly InputItem[],
): EarlierItems {
  return {
    count: items.length - input.length,
    field: conversationId === null ? "previous_response_id" : "conversation",
  };
}

/**
 * Returns the messages of a conversation, with the instructions as the first message.
 * @param earlier how many of the items come from earlier requests and responses.
 */
export function toConversation(
  instructions: string | null,
  items: readonly InputItem[],
  earlier: EarlierItems,
  callForms: CallForms = new Map(),
): GenerationRequest["messages"] {
  const messages = itemsToMessages(items, earlier, callForms);
  if (instructions === null) return messages;
  return [{ role: "system", content: wellFormed(instructions) }, ...messages];
}

/**
 * Reads the input items of a request. Without a previous response, a conversation or instructions, there must be at least one.
 * @throws HearthError that names the field.
 */
export function readResponseInput(fields: Partial<ResponsesRequestBody>): readonly InputItem[] {
  const { input, previous_response_id: previous, conversation } = fields;
  if (typeof input === "string") return [{ type: "message", role: "user", content: input }];
  const items = input ?? [];
  const isInstructed = input != null && (fields.instructions ?? "") !== "";
  if (items.length === 0 && previous == null && conversation == null && !isInstructed) {
    if (input == null) throw new HearthError("invalid_field", "input: is required", { param: "input" });
    throw invalidValue("input", "must not be empty");
  }
  rejectUnsupportedItems(items);
  return items;
}

/** Returns the id of the conversation. @throws HearthError `invalid_value` together with fields that exclude it. */
function readConversation(fields: ResponsesRequestBody): string | null {
  const { conversation, previous_response_id: previous, store } = fields;
  if (conversation == null) return null;
  if (previous != null)
    throw invalidValue("conversation", "cannot be used together with previous_response_id");
  if (store === false) throw invalidValue("conversation", "needs a response that is stored");
  return typeof conversation === "string" ? conversation : conversation.id;
}

function toGeneration(
  fields: ResponsesRequestBody,
  { schemaPaths, warnings, ...tools }: ParsedTools,
): ResponsesRequest["generation"] {
  const maxTokens = parseMaxTokens(fields.max_output_tokens);
  const engine = parseEngineFields(fields, maxTokens);
  const { format, formatPath } = chooseFormat(parseFormat(fields.text), "text.format", fields);
  return {
    model: fields.model,
    truncate: fields.truncation === "auto",
    compaction: readCompaction(fields),
    ...tools,
    format,
    schemaPaths: { format: formatPath, tools: schemaPaths },
    ...parseReasoning(fields),
    sampling: parseSampling(fields),
    topLogprobs: readTopLogprobs(fields),
    choices: 1,
    stop: parseStops(fields),
    maxTokens,
    maxTokensExcludesReasoning: false,
    serverCallsMax: fields.max_tool_calls ?? undefined,
    deterministic: fields.deterministic ?? false,
    ephemeral: fields.store === false,
    cacheKey: fields.prompt_cache_key ?? undefined,
    ...engine,
    warnings: [...warnings, ...engine.warnings],
    labels: readRunLabels(fields),
  };
}

/** @throws HearthError `invalid_field` without a threshold. */
function readCompaction({ context_management: management }: ResponsesRequestBody) {
  const [first] = management ?? [];
  if (first === undefined) return undefined;
  const param = "context_management.0.compact_threshold";
  const { compact_threshold: aboveTokens } = first;
  if (aboveTokens == null) throw new HearthError("invalid_field", `${param}: is required`, { param });
  return { aboveTokens, instruction: summaryInstruction, summaryTokensMax, heading: summaryHeading };
}

function parseFormat(text: ResponsesRequestBody["text"]): StatedFormat {
  const formatPath = "text.format.schema";
  const format = text?.format ?? { type: "text" };
  if (format.type === "text") return { format: { type: "text" }, formatPath };
  const { schema } = format;
  return { format: schema == null ? { type: "json-object" } : { type: "json-schema", schema }, formatPath };
}

/** Number of alternatives per token; null if no log probabilities are requested. Any of the three fields requests them. */
function readTopLogprobs({ include, logprobs, top_logprobs: top }: ResponsesRequestBody): number | null {
  const isRequested = logprobs === true || (include ?? []).includes("message.output_text.logprobs");
  return isRequested || (top ?? 0) > 0 ? (top ?? 0) : null;
}
