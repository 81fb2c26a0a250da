/** Why an MCP server could not be used: for clients, and for the log. */
import { quoteForeign } from "./content.js";
import { TooManyBytes } from "./guarded-fetch.js";
import type { SecretMask } from "./masking.js";
import { McpRefusal } from "./refusal.js";

/** The server did not answer in time. */
export class Late extends Error {}

/** The code with which the SDK itself reports that the connection is closed. */
const connectionClosed = -32_000;

export interface ReasonContext {
  readonly bytesMax: number;
  readonly timeoutMs: number;
  readonly mask: SecretMask;
}

/**
 * Returns the reason as the end of a sentence whose subject is the server. All failures of names, addresses and connections have one
 * reason: several would show a client which names of the internal network exist.
 */
export function describeMcpFailure(thrown: unknown, { bytesMax, timeoutMs, mask }: ReasonContext): string {
  if (thrown instanceof McpRefusal) return mask(thrown.message);
  if (thrown instanceof Late) return `did not answer within ${timeoutMs} ms`;
  if (thrown instanceof TooManyBytes) return `answers with more than ${bytesMax} bytes`;
  const { name, message, status, rpcCode } = findError(thrown);
  if (name === "ZodError" || name === "$ZodError" || name === "SyntaxError")
    return "does not answer as the protocol specifies";
  if (rpcCode === connectionClosed && message.endsWith("Connection closed"))
    return "has closed the connection";
  // Masked before it is cut: a part of a secret would not be found.
  if (rpcCode !== null) return `reports the error ${rpcCode}: ${quoteForeign(mask(message))}`;
  if (status !== null && status >= 300 && status < 400) return "redirects to another origin";
  if (status !== null && status >= 400 && status < 600) return `answers with the status ${status}`;
  return status === -1
    ? "does not answer as the protocol specifies"
    : "could not be reached at an allowed address";
}

/** Returns the cause for the log: names and codes, no text of the server, which could repeat what it was sent. */
export function describeCause(thrown: unknown): string {
  if (thrown instanceof McpRefusal) return "its tools are not usable";
  const { name, status, rpcCode } = findError(thrown);
  const code = status ?? rpcCode;
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : null;
  const network = cause === null ? "" : ` (${"code" in cause ? String(cause.code) : cause.message})`;
  return `${thrown instanceof Error ? thrown.constructor.name : name}${code === null ? "" : ` ${code}`}${network}`;
}

/** The codes of JSON-RPC are the server's to choose: one of them may equal a status of HTTP. */
function findError(thrown: unknown) {
  if (!(thrown instanceof Error)) return { name: "unknown", message: "", status: null, rpcCode: null };
  const { name, message } = thrown;
  const code = "code" in thrown && typeof thrown.code === "number" ? thrown.code : null;
  // The SDK's name of the errors that servers report.
  return name === "McpError"
    ? { name, message, status: null, rpcCode: code }
    : { name, message, status: code, rpcCode: null };
}
