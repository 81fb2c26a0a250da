import { HearthError } from "../../core/errors.js";

const unreachable = "engine_unreachable";
const failedHere = "engine_failed_here";

/**
 * Returns the error for a server that does not answer, or not now; another may, or the same one later. Its message is public and has no
 * address; that is in the cause.
 */
export function engineUnreachable(url: string, reason: string, cause?: unknown): HearthError {
  const message = `The engine of this model cannot be used at present: ${reason}.`;
  const details = { param: "model", code: unreachable, retryAfterSeconds: 5 };
  return new HearthError("model_unavailable", message, { ...details, cause: causeOf(url, reason, cause) });
}

/** Returns the error for a server that answers something else than it should: the same request would fail again. */
export function engineFailed(url: string, reason: string, cause?: unknown): HearthError {
  const message = `The engine of this model failed: ${reason}.`;
  const details = { param: "model", code: "engine_failed" };
  return new HearthError("model_unavailable", message, { ...details, cause: causeOf(url, reason, cause) });
}

/** Returns the error for a server that fails at this request, though it answers: another one may not. */
export function requestFailed(url: string, reason: string): HearthError {
  const message = `The engine of this model failed: ${reason}.`;
  const details = { param: "model", code: failedHere, cause: causeOf(url, reason, undefined) };
  return new HearthError("model_unavailable", message, details);
}

/** Whether a request may be sent to another server, if nothing of it was emitted. */
export function mayBeTriedElsewhere(thrown: unknown): boolean {
  return isUnreachable(thrown) || (thrown instanceof HearthError && thrown.code === failedHere);
}

/** Whether the server does not answer. */
export function isUnreachable(thrown: unknown): boolean {
  return thrown instanceof HearthError && thrown.code === unreachable;
}

/** Returns host and port, without scheme and path. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

function causeOf(url: string, reason: string, cause: unknown): Error {
  return new Error(`${hostOf(url)}: ${reason}`, { cause });
}
