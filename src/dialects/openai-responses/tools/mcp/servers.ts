/** Reads the MCP servers of a responses request: where they are, which of their tools may be called, and what needs an approval. Pure. */
import type { McpServer, McpTool } from "../../../../core/tools/mcp-servers.js";
import { invalidValue, unsupported } from "../../../field-error.js";
import type { McpFilterBody, McpToolBody } from "./schema.js";

/** @throws HearthError `invalid_value` that names a field which is missing or not supported. */
export function toMcpServer(body: McpToolBody, param: string): McpServer {
  const { server_label: label, server_url: url, authorization, headers } = body;
  if (body.connector_id != null) throw unsupported(`${param}.connector_id`, "connectors are");
  if (body.tunnel_id != null) throw unsupported(`${param}.tunnel_id`, "tunnels are");
  if (body.defer_loading === true) throw unsupported(`${param}.defer_loading`, "deferred MCP servers are");
  if (url == null) throw invalidValue(`${param}.server_url`, "is required");
  const own = headers ?? {};
  checkHeaders(own, `${param}.headers`);
  if (authorization == null) return { label, url, headers: own, param: `${param}.server_url` };
  if (Object.keys(own).some((name) => name.toLowerCase() === "authorization"))
    throw invalidValue(`${param}.authorization`, "cannot be used together with a header of this name");
  const bearer = { authorization: `Bearer ${authorization}` };
  checkHeaders(bearer, param);
  return { label, url, headers: { ...own, ...bearer }, param: `${param}.server_url` };
}

/** Whether a server needs something that is never stored. */
export function hasSecrets({ headers, authorization }: McpToolBody): boolean {
  return authorization != null || Object.keys(headers ?? {}).length > 0;
}

/** Returns the tools that the request allows. */
export function allowedMcpTools(
  { allowed_tools: allowed }: McpToolBody,
  tools: readonly McpTool[],
): readonly McpTool[] {
  if (allowed == null) return tools;
  const filter = Array.isArray(allowed) ? { tool_names: allowed } : allowed;
  return tools.filter((tool) => matches(filter, tool));
}

/** Whether a call of a tool needs the user's approval. */
export function needsApproval({ require_approval: required }: McpToolBody, tool: McpTool): boolean {
  if (required === "never") return false;
  if (required == null || required === "always") return true;
  if (required.always != null && matches(required.always, tool)) return true;
  return required.never == null || !matches(required.never, tool);
}

/** An empty filter matches nothing. */
function matches(
  { tool_names: names, read_only: readOnly }: McpFilterBody,
  { name, annotations }: McpTool,
): boolean {
  if (names == null && readOnly == null) return false;
  const isNamed = names == null || names.includes(name);
  const isReadOnly = annotations?.["readOnlyHint"] === true;
  return isNamed && (readOnly == null || readOnly === isReadOnly);
}

/** Returns the tool as the response repeats it: without headers and authorization, and of the URL only the origin. */
export function repeatedMcpTool(body: McpToolBody) {
  const { type, server_label, server_url, server_description, allowed_tools, require_approval } = body;
  return {
    type,
    server_label,
    server_url:
      server_url != null && URL.canParse(server_url) ? `${new URL(server_url).origin}/<redacted>` : null,
    server_description: server_description ?? undefined,
    headers: null,
    allowed_tools: allowed_tools ?? null,
    require_approval: require_approval ?? "always",
  };
}

const headersMax = 64;

const headerCharsMax = 8_192;

/** Headers that belong to the transport. */
const reservedHeader =
  /^(?:host|content-.*|transfer-encoding|connection|keep-alive|upgrade|te|trailer|expect|accept|accept-encoding|proxy-.*|mcp-.*|last-event-id)$/i;

/** @throws HearthError `invalid_value` that names the first header which cannot be sent. */
function checkHeaders(headers: Readonly<Record<string, string>>, param: string): void {
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
