/** What both dialects with MCP servers share: the names that the model knows tools by, and the headers of requests to servers. Pure. */
import type { Tool } from "../core/generation.js";
import type { McpTool } from "../core/tools/mcp-servers.js";
import { invalidValue } from "./field-error.js";
import { toolParameters } from "./tool-parameters.js";
import { wellFormed } from "./well-formed.js";

/** A tool of an MCP server, as the model knows it. */
export interface OfferedMcpTool {
  readonly label: string;
  readonly listed: McpTool;
  readonly tool: Tool;
}

/** Tools by the label of their server; a server without an entry has not listed its own yet. */
export type McpListings = ReadonlyMap<string, readonly McpTool[]>;

const nameCharsMax = 64;
const headersMax = 64;
const headerCharsMax = 8_192;
/** Headers that belong to the transport. */
const reservedHeader =
  /^(?:host|content-.*|transfer-encoding|connection|keep-alive|upgrade|te|trailer|expect|accept|accept-encoding|proxy-.*|mcp-.*|last-event-id)$/i;

/** Returns the name by which the model calls a tool where no other tool has it: label and name, in the characters that models write. */
export function mcpToolName(label: string, name: string): string {
  const whole = `${label}__${name}`;
  const plain = whole.replace(/[^A-Za-z0-9_-]/g, "_");
  if (plain === whole && plain.length <= nameCharsMax) return plain;
  const suffix = `_${fingerprint(whole)}`;
  return plain.slice(0, nameCharsMax - suffix.length) + suffix;
}

/**
 * Returns tools as the model knows them, under names that no other tool has.
 * @param taken names of other tools; the names of the result are added. @param param the field of the request that names the server.
 * @throws HearthError `invalid_value` for a schema that is not one of an object.
 */
export function offerMcpTools(
  label: string,
  tools: readonly McpTool[],
  taken: Set<string>,
  param: string,
): readonly OfferedMcpTool[] {
  return tools.map((listed) => {
    const name = unusedName(mcpToolName(label, listed.name), taken);
    taken.add(name);
    const parameters = toolParameters(listed.inputSchema, listed.name, param);
    const description = listed.description === null ? undefined : wellFormed(listed.description);
    return { label, listed, tool: { name, description, parameters } };
  });
}

/**
 * Returns the path of the schemas of a server's tools, for errors. The request has no member of this path: its text is not theirs.
 * @param param the field of the request that names the server.
 */
export function mcpSchemaPath(param: string): string {
  return `${param}.tools`;
}

/** @throws HearthError `invalid_value` that names the first header which cannot be sent. */
export function checkHeaders(headers: Readonly<Record<string, string>>, param: string): void {
  const entries = Object.entries(headers);
  if (entries.length > headersMax) throw invalidValue(param, `must have at most ${headersMax} headers`);
  for (const [name, value] of entries) {
    const shown = `${param}.${name.slice(0, 100)}`;
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/.test(name))
      throw invalidValue(shown, "is not the name of a header");
    if (reservedHeader.test(name)) throw invalidValue(shown, "belongs to the connection and cannot be set");
    if (value.length > headerCharsMax || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      throw invalidValue(shown, `must be one line of at most ${headerCharsMax} characters`);
  }
}

function unusedName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  for (let count = 2; ; count += 1) {
    const suffix = `_${count}`;
    const numbered = name.slice(0, nameCharsMax - suffix.length) + suffix;
    if (!taken.has(numbered)) return numbered;
  }
}

/** Returns eight hex digits that differ for most different texts: FNV-1a of 32 bits. */
function fingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, "0");
}
