import { HearthError } from "../../core/errors.js";

const unreachable = "engine_unreachable";
const failedHere = "engine_failed_here";
const refusesKey = "engine_refused_key";

/** The reason of a failure that a server describes itself. */
export const saysError = "its answer is an error";

/**
 * Returns the error for a server that does not answer, or not now; another may, or the same one later.
 * @param reason a clause that anybody may read: in Hearth's own words, without addresses. @param cause what the server said, or what was
 * thrown: the operator reads it, with the address. @param retryAfterSeconds what the server states; null: it does not
 */
export function engineUnreachable(
  url: string,
  reason: string,
  cause?: unknown,
  retryAfterSeconds: number | null = null,
): HearthError {
  const message = `The engine of this model cannot be used at present: ${reason}.`;
  const details = { param: "model", code: unreachable, retryAfterSeconds: retryAfterSeconds ?? 5 };
  return new HearthError("model_unavailable", message, {
    ...details,
    cause: createCause(url, reason, cause),
  });
}

/** Returns the error for a server that limits how often it is asked; another may answer. Parameters as of engineUnreachable. */
export function engineBusy(
  url: string,
  reason: string,
  cause: unknown,
  retryAfterSeconds: number | null,
): HearthError {
  return new HearthError("rate_limited", `The engine of this model takes no more requests now: ${reason}.`, {
    param: "model",
    code: unreachable,
    retryAfterSeconds: retryAfterSeconds ?? 5,
    cause: createCause(url, reason, cause),
  });
}

/**
 * Returns the error for a server that does not let Hearth in: the operator has to change its key or rights, so that no client retries.
 * Another server may answer. Parameters as of engineUnreachable.
 */
export function keyRefused(url: string, status: number, cause: unknown): HearthError {
  const reason = `it refuses the apiKey of its settings (${status})`;
  return new HearthError("model_unavailable", `The engine of this model cannot be used: ${reason}.`, {
    param: "model",
    code: refusesKey,
    shouldRetry: false,
    cause: createCause(url, reason, cause),
  });
}

/** Returns the error for a server that answers something else than it should: the same request would fail again. Parameters as of engineUnreachable. */
export function engineFailed(url: string, reason: string, cause?: unknown): HearthError {
  const message = `The engine of this model failed: ${reason}.`;
  const details = { param: "model", code: "engine_failed" };
  return new HearthError("model_unavailable", message, {
    ...details,
    cause: createCause(url, reason, cause),
  });
}

/** Returns the error for a server that fails at this request, though it answers: another one may not. Parameters as of engineUnreachable. */
export function requestFailed(url: string, reason: string, cause?: unknown): HearthError {
  const message = `The engine of this model failed: ${reason}.`;
  const details = { param: "model", code: failedHere, cause: createCause(url, reason, cause) };
  return new HearthError("model_unavailable", message, details);
}

/** Whether a request may be sent to another server, if nothing of it was emitted. */
export function mayBeTriedElsewhere(thrown: unknown): boolean {
  return isUnreachable(thrown) || (thrown instanceof HearthError && thrown.code === failedHere);
}

/** Whether the server does not answer, or does not let Hearth in. */
export function isUnreachable(thrown: unknown): boolean {
  return thrown instanceof HearthError && (thrown.code === unreachable || thrown.code === refusesKey);
}

/** Returns host and port, without scheme and path. */
export function readHost(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

/** Returns what the operator reads of a failure. @param cause what the server said, or what was thrown */
export function createCause(url: string, reason: string, cause: unknown): Error {
  const said = typeof cause === "string" && cause !== "" ? ` (${cause})` : "";
  return new Error(`${readHost(url)}: ${reason}${said}`, typeof cause === "string" ? {} : { cause });
}

/** Returns the reason of a failure of a server as a clause for the operator, with what the server said and without its address. */
export function describeFailure(thrown: unknown, url: string): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const { message } = thrown.cause instanceof Error ? thrown.cause : thrown;
  const host = `${readHost(url)}: `;
  return message.startsWith(host) ? message.slice(host.length) : message;
}
