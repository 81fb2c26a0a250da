import { HearthError } from "../errors.js";

/** Creates the error for an image that is not accepted. @param problem the reason, as a clause. @param cause for the log only. */
export function refusedImage(param: string, problem: string, cause?: unknown): HearthError {
  return new HearthError("invalid_value", `${param}: ${problem}`, { param, cause });
}
