/** Parses the request of POST /api/chat into a GenerationRequest. Pure. */
import { noTools, type GenerationRequest, type Message, type Tool } from "../../../core/generation.js";
import { invalidValue, validFields } from "../../field-error.js";
import { formatPath, parseFormat, parseKeepAlive, parseLogprobs, parseThink } from "../fields.js";
import { parseOptions } from "../options.js";
import type { OllamaRequest } from "../request.js";
import { withSchemaTexts } from "../../schema-texts.js";
import { toolParameters } from "../../tool-parameters.js";
import { parseMessages } from "./messages.js";
import { ollamaChatRequestSchema, type OllamaChatBody } from "./schema.js";

/**
 * Parses a request body.
 * @param bodyText the JSON text of the body if it may have numbers that JSON.parse rounds; schemas and arguments keep them.
 * @throws HearthError that names the field.
 */
export function parseOllamaChat(body: unknown, bodyText: string | null = null): OllamaRequest {
  const fields = validFields(ollamaChatRequestSchema, body);
  const { model } = fields;
  const rest = { model, stream: fields.stream ?? true, keepAliveMs: parseKeepAlive(fields.keep_alive) };
  const messages = parseMessages(fields.messages ?? [], bodyText);
  if (messages.length === 0) return { ...rest, request: null };
  const tools = parseTools(fields);
  const format = parseFormat(fields.format);
  const continuing = continuation(messages, fields, tools.length > 0 || format.type !== "text");
  const request: GenerationRequest = {
    model,
    ...continuing,
    tools,
    toolChoice: tools.length === 0 ? noTools : { mode: "auto", names: null, parallel: true },
    format,
    schemaPaths: { format: formatPath, tools: tools.map((_, at) => `tools.${at}.function.parameters`) },
    ...parseOptions(fields.options),
    topLogprobs: parseLogprobs(fields),
    choices: 1,
    maxTokensExcludesReasoning: false,
    deterministic: false,
    ...(fields.truncate === true ? { truncate: true } : {}),
  };
  return { ...rest, request: withSchemaTexts(request, bodyText) };
}

type Continuation = Pick<GenerationRequest, "messages" | "prefill" | "reasoningEffort">;

/** A text of the assistant at the end is the beginning of the answer, which does not reason then. */
function continuation(
  messages: readonly Message[],
  { think }: OllamaChatBody,
  isBound: boolean,
): Continuation {
  const last = messages.at(-1);
  const reasoningEffort = parseThink(think);
  const isAnswer = last?.role === "assistant" && last.content !== "" && last.toolCalls === undefined;
  if (!isAnswer || isBound) return { messages, reasoningEffort };
  if (reasoningEffort !== "default" && reasoningEffort !== "none")
    throw invalidValue(`messages.${messages.length - 1}`, "cannot be continued with thinking");
  return { messages: messages.slice(0, -1), prefill: last.content, reasoningEffort: "none" };
}

function parseTools({ tools }: OllamaChatBody): readonly Tool[] {
  const seen = new Set<string>();
  return (tools ?? []).map(({ function: { name, description, parameters } }, index) => {
    if (seen.has(name)) throw invalidValue("tools", `must not name '${name.slice(0, 200)}' twice`);
    seen.add(name);
    const param = `tools.${index}.function.parameters`;
    const schema = toolParameters(parameters ?? { type: "object", properties: {} }, name, param);
    return { name, ...(description == null ? {} : { description }), parameters: schema };
  });
}
