/**
 * POST /v1/responses and /v1/responses/input_tokens, from wire JSON to the house's own request. What a response is stored
 * with is read here; the conversation before it is somebody else's to find, and comes back in as items. Pure.
 */
import { HearthError } from "../../core/errors.js";
import type { AnswerFormat, GenerationRequest } from "../../core/generation.js";
import { fieldError, invalidValue } from "../field-error.js";
import { parseEffort } from "../openai-effort.js";
import { parseSampling, parseStops } from "../openai-sampling.js";
import { wellFormed } from "../well-formed.js";
import type { InputItem } from "./items/item-schema.js";
import { messagesOf } from "./items/messages.js";
import { responsesRequestSchema, type ResponsesRequestBody } from "./schema.js";
import { settingsOf, type ResponseSettings } from "./settings.js";
import { parseTools } from "./tools.js";
import { refuseUnserved, refuseUnservedItems } from "./unserved.js";

export interface ResponsesRequest {
  readonly model: string;
  /** The request's own input as whole wire items; an `item_reference` still stands for what it names. */
  readonly input: readonly InputItem[];
  /** The response that the conversation goes on from. */
  readonly previousResponseId: string | null;
  /** Whether the response can be asked for again. */
  readonly store: boolean;
  /** Whether the client does not wait for it. */
  readonly background: boolean;
  readonly stream: boolean;
  readonly settings: ResponseSettings;
  /** Whether reasoning items carry their text sealed as well. */
  readonly includesEncryptedReasoning: boolean;
  /** All of the house's own request but the conversation. */
  readonly generation: Omit<GenerationRequest, "messages">;
}

/**
 * Reads a request body.
 * @throws HearthError `invalid_field` for what is missing or ill-typed, `invalid_value` for what is out of range or not
 * served, each naming the field.
 */
export function parseResponsesRequest(body: unknown): ResponsesRequest {
  const parsed = responsesRequestSchema.safeParse(body);
  if (!parsed.success) throw fieldError(parsed.error, body);
  const fields = parsed.data;
  refuseUnserved(fields);
  const store = fields.store ?? true;
  const background = fields.background ?? false;
  if (background && !store) throw invalidValue("background", "needs a response that is stored");
  return {
    model: fields.model,
    input: readInput(fields),
    previousResponseId: fields.previous_response_id ?? null,
    store,
    background,
    stream: fields.stream ?? false,
    settings: settingsOf(fields),
    includesEncryptedReasoning: fields.include?.includes("reasoning.encrypted_content") ?? false,
    generation: generationOf(fields),
  };
}

/**
 * The house's own request.
 * @param items what was said before, then the request's own input with its references resolved, in order.
 */
export function generationRequest(request: ResponsesRequest, items: readonly InputItem[]): GenerationRequest {
  const { generation, settings, input } = request;
  const before = items.length - input.length;
  return { ...generation, messages: conversationOf(settings.instructions, items, before) };
}

/**
 * The messages of a conversation, what the assistant is told to be first.
 * @param before how many of the items are not the request's own.
 */
export function conversationOf(
  instructions: string | null,
  items: readonly InputItem[],
  before: number,
): GenerationRequest["messages"] {
  const messages = messagesOf(items, before);
  if (instructions === null) return messages;
  return [{ role: "system", content: wellFormed(instructions) }, ...messages];
}

/**
 * Reads what a request says itself; without a response to go on from, that is something.
 * @throws HearthError naming the field.
 */
export function readInput(
  fields: Pick<ResponsesRequestBody, "input" | "previous_response_id">,
): readonly InputItem[] {
  const { input, previous_response_id: previous } = fields;
  if (typeof input === "string") return [{ type: "message", role: "user", content: input }];
  const items = input ?? [];
  if (items.length === 0 && previous == null) {
    if (input == null) throw new HearthError("invalid_field", "input: is required", { param: "input" });
    throw invalidValue("input", "must not be empty");
  }
  refuseUnservedItems(items);
  return items;
}

function generationOf(fields: ResponsesRequestBody): ResponsesRequest["generation"] {
  const asked = parseTools(fields);
  return {
    model: fields.model,
    ...(fields.truncation === "auto" ? { truncates: true } : {}),
    ...asked,
    format: formatOf(fields.text),
    schemaPlaces: {
      format: "text.format.schema",
      tools: asked.tools.map((_, at) => `tools.${at}.parameters`),
    },
    reasoningEffort: parseEffort(fields.reasoning?.effort),
    sampling: parseSampling(fields),
    topLogprobs: topLogprobsOf(fields),
    choices: 1,
    stop: parseStops(fields),
    maxTokens: fields.max_output_tokens ?? null,
    maxTokensExcludesReasoning: false,
    deterministic: fields.deterministic ?? false,
  };
}

function formatOf(text: ResponsesRequestBody["text"]): AnswerFormat {
  const format = text?.format ?? { type: "text" };
  if (format.type === "json_schema") return { type: "json-schema", schema: format.schema };
  return { type: format.type === "text" ? "text" : "json-object" };
}

/** Whoever asks for a number of alternatives asks for log probabilities, by whatever name else. */
function topLogprobsOf({ include, logprobs, top_logprobs: top }: ResponsesRequestBody): number | null {
  const asked = logprobs === true || (include ?? []).includes("message.output_text.logprobs");
  return asked || (top ?? 0) > 0 ? (top ?? 0) : null;
}
