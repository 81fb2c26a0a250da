/**
 * What a run reads and writes, in the shape of OpenTelemetry's conventions for generative AI: messages of parts. Contents of files are left
 * out: of an image or a sound in the request, its type and length stand for it.
 */
import type { EmbeddingInput, InputSource } from "../../core/embeddings/request.js";
import type { Message, RawPrompt } from "../../core/generation.js";
import type { CompleteRequest } from "../../core/model.js";

export type ContentPart =
  | { readonly type: "text" | "reasoning"; readonly content: string }
  | { readonly type: "tool_call"; readonly id: string; readonly name: string; readonly arguments: string }
  | { readonly type: "tool_call_response"; readonly id: string; readonly response: string }
  | { readonly type: "uri"; readonly modality: "image"; readonly uri: string }
  | {
      readonly type: "blob";
      readonly modality: "image" | "audio";
      readonly mime_type: string;
      readonly chars: number;
    }
  | { readonly type: "tokens"; readonly tokens: number };

export interface ContentMessage {
  readonly role: string;
  readonly parts: readonly ContentPart[];
  /** The message of an answer that ended. */
  readonly finish_reason?: string;
}

/** What a run has read and written. */
export interface RunContent {
  readonly input: readonly ContentMessage[];
  readonly output: readonly ContentMessage[];
}

/** Returns the conversation, or the prompts, of a request. */
export function readContent(request: CompleteRequest): readonly ContentMessage[] {
  if (request.raw !== undefined) return [{ role: "user", parts: request.raw.prompts.flatMap(promptParts) }];
  return request.messages.map((message) => ({ role: message.role, parts: messageParts(message) }));
}

/** Returns the inputs of an embedding or a ranking. */
export function readInputs(source: InputSource): readonly ContentMessage[] {
  const inputs = source.type === "inputs" ? source.inputs : [source.query, ...source.documents];
  return [{ role: "user", parts: inputs.map(inputPart) }];
}

export function textMessage(role: string, content: string): ContentMessage {
  return { role, parts: [{ type: "text", content }] };
}

function messageParts({
  role,
  content,
  images = [],
  sounds = [],
  reasoning,
  toolCalls = [],
  toolCallId,
}: Message): ContentPart[] {
  const parts: ContentPart[] = [];
  if (reasoning !== undefined && reasoning !== "") parts.push({ type: "reasoning", content: reasoning });
  if (role === "tool") parts.push({ type: "tool_call_response", id: toolCallId ?? "", response: content });
  else if (content !== "") parts.push({ type: "text", content });
  for (const { url } of images) parts.push(imagePart(url));
  for (const { base64, format } of sounds)
    parts.push({ type: "blob", modality: "audio", mime_type: `audio/${format}`, chars: base64.length });
  for (const { id, name, arguments: json } of toolCalls)
    parts.push({ type: "tool_call", id, name, arguments: json });
  return parts;
}

function imagePart(url: string): ContentPart {
  if (!/^data:/i.test(url)) return { type: "uri", modality: "image", uri: url };
  const [, mime_type = "image"] = /^data:([^,;]{0,100})/i.exec(url) ?? [];
  return { type: "blob", modality: "image", mime_type, chars: url.length };
}

function promptParts({ prompt, suffix }: RawPrompt): readonly ContentPart[] {
  const part = inputPart(prompt);
  return suffix === null ? [part] : [part, { type: "text", content: suffix }];
}

function inputPart(input: EmbeddingInput): ContentPart {
  return typeof input === "string"
    ? { type: "text", content: input }
    : { type: "tokens", tokens: input.length };
}
