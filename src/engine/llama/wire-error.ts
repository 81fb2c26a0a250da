import type { HearthError } from "../../core/errors.js";
import type { WireError } from "./protocol.js";

/** An error as it crosses the thread: the cause becomes text for the log. */
export function wireError(error: HearthError): WireError {
  const { kind, message, param, code, cause } = error;
  return { kind, message, param, code, cause: cause === undefined ? null : describe(cause) };
}

function describe(cause: unknown): string {
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}
