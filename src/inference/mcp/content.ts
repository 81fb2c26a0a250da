/** Reads what servers send: tools and the results of calls. Nothing in it is trusted. */
import { z } from "zod";
import type { McpResult, McpTool } from "../../core/tools/mcp-servers.js";
import type { ResultImage } from "../../core/tools/server-call.js";
import type { SecretMask } from "./masking.js";
import { McpRefusal } from "./refusal.js";

const schemaDepthMax = 64;

/** Bytes of the schema of one tool, and levels of nesting in it. */
const schemaCharsMax = 65_536;

/** Parts of a result. */
const resultPartsMax = 1_000;

const quotedCharsMax = 200;

/** UTF-16 units of a tool's name, of its description, and of a text of the server in an error. */
const nameCharsMax = 256;

const descriptionCharsMax = 16_384;

const toolBody = z.looseObject({
  name: z.string().min(1).max(nameCharsMax),
  description: z.string().max(descriptionCharsMax).nullish(),
  inputSchema: z.record(z.string(), z.unknown()),
  annotations: z.record(z.string(), z.unknown()).nullish(),
});

/** A page of a list of tools. */
export const toolsPage = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });

/** Reads a tool. @param mask applied to what errors quote. @throws Refusal that says why it cannot be used. */
export function readTool(value: unknown, mask: SecretMask): McpTool {
  const { success, data } = toolBody.safeParse(value);
  if (!success) throw new McpRefusal(`lists a tool${readName(value, mask)} that is not one, or is too large`);
  const { name, description = null, inputSchema, annotations = null } = data;
  const problem = schemaProblem(inputSchema);
  if (problem !== null)
    throw new McpRefusal(`lists the tool ${quoteForeign(mask(name))}, whose schema ${problem}`);
  return {
    name,
    description,
    inputSchema,
    annotations: annotations !== null && isSmall(annotations) ? annotations : null,
  };
}

function readName(value: unknown, mask: SecretMask): string {
  const isNamed =
    typeof value === "object" && value !== null && "name" in value && typeof value.name === "string";
  return isNamed ? ` ${quoteForeign(mask(String(value.name)))}` : "";
}

function schemaProblem(schema: Readonly<Record<string, unknown>>): string | null {
  if (isDeeper(schema, schemaDepthMax)) return `is nested deeper than ${schemaDepthMax} levels`;
  return JSON.stringify(schema).length > schemaCharsMax
    ? `is longer than ${schemaCharsMax} characters`
    : null;
}

function isSmall(value: Readonly<Record<string, unknown>>): boolean {
  return !isDeeper(value, schemaDepthMax) && JSON.stringify(value).length <= schemaCharsMax;
}

/** Does not recurse deeper than the limit. */
function isDeeper(value: unknown, depthMax: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return depthMax === 0 || Object.values(value).some((member) => isDeeper(member, depthMax - 1));
}

/** The result of a call. */
export const callResult = z.looseObject({
  content: z.array(z.unknown()).max(resultPartsMax).optional(),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional(),
});

const resource = z.looseObject({
  uri: z.string(),
  mimeType: z.string().optional(),
  text: z.string().optional(),
});
const part = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("text"), text: z.string() }),
  z.looseObject({ type: z.literal("image"), data: z.string(), mimeType: z.string() }),
  z.looseObject({ type: z.literal("audio"), mimeType: z.string() }),
  z.looseObject({ type: z.literal("resource"), resource }),
  z.looseObject({ type: z.literal("resource_link"), uri: z.string(), name: z.string().optional() }),
]);

/** Reads the result of a call: its texts, one a paragraph, and its images; other parts are named in the text. */
export function readResult({
  content = [],
  structuredContent,
  isError,
}: z.infer<typeof callResult>): McpResult {
  const images: ResultImage[] = [];
  const texts: string[] = [];
  let length = 0;
  for (const each of content) {
    const read = readPart(each);
    if (typeof read === "string") {
      length += (texts.length === 0 ? 0 : 1) + read.length;
      texts.push(read);
    } else images.push({ at: length, url: read.url });
  }
  const isEmpty = texts.length === 0 && images.length === 0;
  const text =
    isEmpty && structuredContent !== undefined ? JSON.stringify(structuredContent) : texts.join("\n");
  return { failed: isError === true, text, images };
}

function readPart(value: unknown): string | { readonly url: string } {
  const { data } = part.safeParse(value);
  switch (data?.type) {
    case "text":
      return data.text;
    case "image":
      return { url: `data:${data.mimeType};base64,${data.data}` };
    case "audio":
      return `[audio: ${data.mimeType}]`;
    case "resource":
      return data.resource.text ?? `[resource: ${data.resource.uri}]`;
    case "resource_link":
      return `[resource: ${data.uri}]`;
    case undefined:
      return "[a part of an unknown type]";
  }
}

/** Returns a text of a server as it can stand in an error. */
export function quoteForeign(text: string): string {
  return JSON.stringify(text.slice(0, quotedCharsMax));
}
