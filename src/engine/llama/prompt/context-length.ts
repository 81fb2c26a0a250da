import { HearthError } from "../../../core/errors.js";

/** The refusal of a prompt that leaves no room for one token of answer. @param param the request's field. */
export function promptTooLong(
  contextTokens: number,
  asked: string,
  param: "messages" | "prompt",
): HearthError {
  return new HearthError(
    "context_length_exceeded",
    `This model's maximum prompt length is ${contextTokens - 1} but the request contains ${asked} tokens.`,
    { param, code: "context_length_exceeded" },
  );
}
