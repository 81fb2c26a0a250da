/** What both dialects with MCP servers share: the names that the model knows tools by, and the headers of requests to servers. Pure. */
import type { Tool } from "../core/generation.js";
import type { McpTool } from "../core/tools/mcp-servers.js";
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
