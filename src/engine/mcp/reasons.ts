/** Why an MCP server could not be used: for clients, and for the log. */
import { quoted } from "./content.js";
import { TooManyBytes } from "./guarded-fetch.js";
import { Refusal } from "./refusal.js";

/** The server did not answer in time. */
export class Late extends Error {}

/**
 * Returns the reason as the end of a sentence whose subject is the server. All failures of names, addresses and connections have one
 * reason: several would show a client which names of the internal network exist.
 */
export function reasonOf(thrown: unknown, bytesMax: number, timeoutMs: number): string {
  if (thrown instanceof Refusal) return thrown.message;
  if (thrown instanceof Late) return `did not answer within ${timeoutMs} ms`;
  if (thrown instanceof TooManyBytes) return `answers with more than ${bytesMax} bytes`;
  const { name, message, code } = errorOf(thrown);
  if (name === "ZodError" || name === "$ZodError" || name === "SyntaxError")
    return "does not answer as the protocol specifies";
  const status = code ?? 0;
  if (status >= 300 && status < 400) return "redirects to another origin";
  if (status >= 400 && status < 600) return `answers with the status ${status}`;
  if (code === -1) return "does not answer as the protocol specifies";
  if (code !== null && code <= -32_000) return `reports the error ${code}: ${quoted(message)}`;
  return "could not be reached at an allowed address";
}

/** Returns the cause for the log: names and codes, no text of the server, which could repeat what it was sent. */
export function causeOf(thrown: unknown): string {
  if (thrown instanceof Refusal) return "its tools are not usable";
  const { name, code } = errorOf(thrown);
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : null;
  const network = cause === null ? "" : ` (${"code" in cause ? String(cause.code) : cause.message})`;
  return `${thrown instanceof Error ? thrown.constructor.name : name}${code === null ? "" : ` ${code}`}${network}`;
}

function errorOf(thrown: unknown) {
  if (!(thrown instanceof Error)) return { name: "unknown", message: "", code: null };
  const code = "code" in thrown && typeof thrown.code === "number" ? thrown.code : null;
  return { name: thrown.name, message: thrown.message, code };
}
