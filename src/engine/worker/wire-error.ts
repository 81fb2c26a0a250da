/** Converts errors between threads: a HearthError keeps its kind and message, and its cause becomes text for the log. */
import { HearthError, type ErrorKind, type PromptSizes } from "../../core/errors.js";

export interface WireError {
  readonly kind: ErrorKind;
  readonly message: string;
  readonly param: string | null;
  readonly code: string | null;
  readonly promptSizes: PromptSizes | null;
  /** The internal cause, for the log. */
  readonly cause: string | null;
}

/** Converts an error to a message to another thread. */
export function toWireError(error: HearthError): WireError {
  const { kind, message, param, code, promptSizes, cause } = error;
  return { kind, message, param, code, promptSizes, cause: cause === undefined ? null : describe(cause) };
}

/** Restores an error that came from another thread. */
export function fromWireError(error: WireError): HearthError {
  const { kind, message, param, code, promptSizes, cause } = error;
  const restored = cause === null ? undefined : new Error(cause);
  return new HearthError(kind, message, { param, code, promptSizes, cause: restored });
}

function describe(cause: unknown): string {
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}
