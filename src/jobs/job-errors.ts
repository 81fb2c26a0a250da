/** The errors of the queue, and which errors only delay a job. */
import { HearthError } from "../core/errors.js";

/** Returns for how long a server that is too busy starts no jobs; null for any other error. */
export function findJobPauseMs({ kind, code, retryAfterSeconds }: HearthError): number | null {
  // A storage that is full can stay so for days, and concerns only the jobs that store.
  if (kind !== "overloaded" || code === "storage_full") return null;
  return (retryAfterSeconds ?? 1) * 1000;
}

/** Returns after how long a job may start that a limit or a budget refuses; null when the refusal is final. */
export function findJobWaitMs({
  kind,
  retryAfterMs,
  retryAfterSeconds,
  shouldRetry,
}: HearthError): number | null {
  if (kind === "rate_limited") return retryAfterMs;
  // Only reservations of other runs are in its way.
  if (kind === "budget_exceeded" && shouldRetry === true) return (retryAfterSeconds ?? 1) * 1000;
  return null;
}

/** The error for a job that finds the queue full. */
export function queueFull(): HearthError {
  return new HearthError("overloaded", "Too many requests are queued already. Please try again later.", {
    retryAfterSeconds: 30,
  });
}

/** The error for a job that was in flight each time the process died. */
export function givenUp(attempts: number): HearthError {
  return new HearthError(
    "internal",
    `The server stopped ${attempts} times while it processed this request, so the request was given up.`,
  );
}
