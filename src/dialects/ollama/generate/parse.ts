/** Parses the request of POST /api/generate into a GenerationRequest. Pure. */
import {
  noTools,
  type ConversationRequest,
  type GenerationRequest,
  type Message,
  type RawPrompt,
} from "../../../core/generation.js";
import { unsupported, validFields } from "../../field-error.js";
import { joinParts } from "../../message-content.js";
import { parseContinuation } from "../../generation/continuation.js";
import { parseReasoning, rawHasNoReasoning, warnOfReasoning } from "../../generation/reasoning-fields.js";
import { imageUrl, parseFormat, parseKeepAlive, parseLogprobs } from "../fields.js";
import { joinShared, parseOptions, type SharedFields } from "../options.js";
import type { OllamaRequest } from "../request.js";
import { withSchemaTexts } from "../../schema-texts.js";
import { wellFormed } from "../../well-formed.js";
import { ollamaGenerateRequestSchema, type OllamaGenerateBody } from "./schema.js";

/**
 * Parses a request body.
 * @param bodyText the JSON text of the body if it may have numbers that JSON.parse rounds; the schema keeps them.
 * @throws HearthError that names the field.
 */
export function parseOllamaGenerate(body: unknown, bodyText: string | null = null): OllamaRequest {
  const fields = validFields(ollamaGenerateRequestSchema, body);
  rejectStated(fields.template, "template", "templates in requests are");
  rejectStated(fields.context, "context", "the tokens of earlier answers are");
  const { model } = fields;
  const rest = { model, stream: fields.stream ?? true, keepAliveMs: parseKeepAlive(fields.keep_alive) };
  if (isEmpty(fields)) return { ...rest, request: null };
  const shared = joinShared(fields, fields.options);
  const { format, formatPath } = parseFormat(fields.format, shared);
  const { warnings, ...source } = readSource(fields, shared);
  const { warnings: further, ...options } = parseOptions(shared, fields.options);
  const request: GenerationRequest = {
    model,
    ...source,
    tools: [],
    toolChoice: noTools,
    format,
    schemaPaths: { format: formatPath, tools: [] },
    ...options,
    warnings: [...(warnings ?? []), ...further],
    topLogprobs: parseLogprobs(fields),
    choices: 1,
    maxTokensExcludesReasoning: false,
    truncate: fields.truncate === true,
  };
  return { ...rest, request: withSchemaTexts(request, bodyText) };
}

function isEmpty({ prompt, suffix, images }: OllamaGenerateBody): boolean {
  return (prompt ?? "") === "" && (suffix ?? "") === "" && (images ?? []).length === 0;
}

interface Source extends ConversationRequest {
  readonly warnings?: readonly string[];
}

/** Reads the conversation; a raw prompt, and one with a gap to fill, replace it. */
function readSource(fields: OllamaGenerateBody, shared: SharedFields): Source {
  const isRaw = fields.raw === true;
  const { fields: switches, toPath } = shared;
  if (!isRaw && (fields.suffix ?? "") === "") {
    if (parseContinuation(switches, false, toPath))
      throw unsupported(toPath("continue_final_message"), "continuing a prompt without raw is");
    return { messages: toMessages(fields), ...parseReasoning(switches, fields.think) };
  }
  const form = isRaw ? "together with raw" : "together with a suffix";
  rejectStated(fields.system, "system", `system messages ${form} are`);
  rejectStated(fields.images, "images", `images ${form} are`);
  if (fields.think === true || typeof fields.think === "string")
    throw unsupported("think", `thinking ${form} is`);
  const { prompt, suffix } = fields;
  const raw: RawPrompt = {
    prompt: wellFormed(prompt ?? ""),
    suffix: suffix == null || suffix === "" ? null : wellFormed(suffix),
    readsControlTokens: isRaw,
  };
  return {
    messages: [],
    raw: { prompts: [raw], echo: false },
    reasoningEffort: "default",
    warnings: warnOfReasoning(switches, rawHasNoReasoning, toPath),
  };
}

function toMessages({ system, prompt, images }: OllamaGenerateBody): readonly Message[] {
  const parts = (images ?? []).map((image, index) => ({
    url: imageUrl(image),
    detail: "auto" as const,
    param: `images.${index}`,
  }));
  const user: Message = { role: "user", ...joinParts([...parts, prompt ?? ""]) };
  return system == null || system === "" ? [user] : [{ role: "system", content: wellFormed(system) }, user];
}

/** @throws HearthError for a field that is stated. @param what the end of a sentence that begins with the field */
function rejectStated(value: unknown, field: string, what: string): void {
  const isStated = value != null && value !== "" && !(Array.isArray(value) && value.length === 0);
  if (isStated) throw unsupported(field, what);
}
