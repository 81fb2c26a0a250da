/** Masks the secrets of a request in what its server sends, so that what the server repeats of them is stored and shown nowhere. */
import type { McpServer, McpTool } from "../../core/tools/mcp-servers.js";
import { McpRefusal } from "./refusal.js";

/** Returns a text in which secrets are masked. */
export type SecretMask = (text: string) => string;

/** Shorter values of headers are not masked: they would occur by chance. */
const secretCharsMin = 8;

/** Names of the parameters of URLs that have secrets. */
const secretName = /key|token|secret|auth|pass|sig/i;

/**
 * Returns what masks the values of headers, with and without their scheme, and of such parameters of the URL: as they are, and as JSON
 * writes them.
 */
export function createMcpMask({ headers }: McpServer, url: URL): SecretMask {
  const values = [
    ...Object.values(headers).flatMap((value) => [value, value.replace(/^\S+\s+/, "")]),
    ...[...url.searchParams].flatMap(([name, value]) => (secretName.test(name) ? [value] : [])),
  ];
  const secrets = values
    .flatMap((value) => [value, JSON.stringify(value).slice(1, -1)])
    .filter((value) => value.length >= secretCharsMin)
    // A secret may be part of another one.
    .toSorted((one, other) => other.length - one.length);
  return (text) => secrets.reduce((masked, secret) => masked.replaceAll(secret, "[masked]"), text);
}

/** Returns a tool with masked texts. @throws Refusal for one whose name has a secret: its calls could not be masked. */
export function maskedTool(
  { name, description, inputSchema, annotations }: McpTool,
  mask: SecretMask,
): McpTool {
  if (mask(name) !== name) throw new McpRefusal("lists a tool whose name repeats a secret of the request");
  return {
    name,
    description: description === null ? null : mask(description),
    inputSchema: maskedMembers(inputSchema, mask),
    annotations: annotations === null ? null : maskedMembers(annotations, mask),
  };
}

/** Recurses as deep as the values are, which is limited where they are read. */
function maskedMembers(
  value: Readonly<Record<string, unknown>>,
  mask: SecretMask,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [mask(name), maskedValue(member, mask)]),
  );
}

function maskedValue(value: unknown, mask: SecretMask): unknown {
  if (typeof value === "string") return mask(value);
  if (Array.isArray(value)) return value.map((item: unknown) => maskedValue(item, mask));
  if (typeof value !== "object" || value === null) return value;
  return maskedMembers(value as Readonly<Record<string, unknown>>, mask);
}
