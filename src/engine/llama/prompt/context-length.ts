import { HearthError } from "../../../core/errors.js";

/** Creates the error for a prompt that leaves no space for an answer. @param param the request's field. */
export function promptTooLong(
  contextTokens: number,
  promptTokens: string,
  param: "messages" | "prompt",
): HearthError {
  return new HearthError(
    "context_length_exceeded",
    `This model's maximum prompt length is ${contextTokens - 1} but the request contains ${promptTokens} tokens.`,
    { param, code: "context_length_exceeded" },
  );
}
