import { HearthError } from "../../core/errors.js";

/** An image that is not read, with a clause that says why; `cause` is for the log alone. */
export function refusedImage(param: string, problem: string, cause?: unknown): HearthError {
  const details = cause === undefined ? { param } : { param, cause };
  return new HearthError("invalid_value", `${param}: ${problem}`, details);
}
