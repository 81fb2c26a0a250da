import { HearthError } from "../core/errors.js";

/** The error for a request that comes when as many are active as may be. */
export function tooManyRuns(): HearthError {
  return new HearthError(
    "overloaded",
    "The server is processing too many requests. Please try again later.",
    { retryAfterSeconds: 1 },
  );
}
