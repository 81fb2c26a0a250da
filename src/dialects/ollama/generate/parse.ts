/** Parses the request of POST /api/generate into a GenerationRequest. Pure. */
import { noTools, type GenerationRequest, type Message, type RawPrompt } from "../../../core/generation.js";
import { unsupported, validFields } from "../../field-error.js";
import { joinParts } from "../../message-content.js";
import {
  formatPath,
  imageUrl,
  parseFormat,
  parseKeepAlive,
  parseLogprobs,
  parseThink,
  rejectStated,
} from "../fields.js";
import { parseOptions } from "../options.js";
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
  const request: GenerationRequest = {
    model,
    ...readSource(fields),
    tools: [],
    toolChoice: noTools,
    format: parseFormat(fields.format),
    schemaPaths: { format: formatPath, tools: [] },
    ...parseOptions(fields.options),
    topLogprobs: parseLogprobs(fields),
    choices: 1,
    maxTokensExcludesReasoning: false,
    deterministic: false,
    truncate: fields.truncate === true,
  };
  return { ...rest, request: withSchemaTexts(request, bodyText) };
}

function isEmpty({ prompt, suffix, images }: OllamaGenerateBody): boolean {
  return (prompt ?? "") === "" && (suffix ?? "") === "" && (images ?? []).length === 0;
}

type Source = Pick<GenerationRequest, "messages" | "raw" | "reasoningEffort">;

/** Reads the conversation; a raw prompt, and one with a gap to fill, replace it. */
function readSource(fields: OllamaGenerateBody): Source {
  const isRaw = fields.raw === true;
  if (!isRaw && (fields.suffix ?? "") === "")
    return { messages: toMessages(fields), reasoningEffort: parseThink(fields.think) };
  const form = isRaw ? "together with raw" : "together with a suffix";
  rejectStated(fields.system, "system", `system messages ${form} are`);
  rejectStated(fields.images, "images", `images ${form} are`);
  rejectStated(fields.format, formatPath, `formats ${form} are`);
  if (fields.think === true || typeof fields.think === "string")
    throw unsupported("think", `thinking ${form} is`);
  const { prompt, suffix } = fields;
  const raw: RawPrompt = {
    prompt: wellFormed(prompt ?? ""),
    suffix: suffix == null || suffix === "" ? null : wellFormed(suffix),
    readsControlTokens: isRaw,
  };
  return { messages: [], raw: { prompts: [raw], echo: false }, reasoningEffort: "default" };
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
