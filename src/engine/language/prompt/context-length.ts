import { HearthError } from "../../../core/errors.js";

/**
 * Creates the error for a prompt that leaves no space for an answer.
 * @param param the request's field. @param isMinimum whether the prompt has at least so many tokens: it was not tokenized
 */
export function promptTooLong(
  contextTokens: number,
  promptTokens: number,
  param: "messages" | "prompt",
  isMinimum = false,
): HearthError {
  const promptSizes = { tokensMax: contextTokens - 1, requestedTokens: promptTokens };
  return new HearthError(
    "context_length_exceeded",
    `This model's maximum prompt length is ${contextTokens - 1} but the request contains ${isMinimum ? "at least " : ""}${promptTokens} tokens.`,
    { param, code: "context_length_exceeded", promptSizes },
  );
}
