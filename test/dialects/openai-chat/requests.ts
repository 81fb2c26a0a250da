import { HearthError } from "../../../src/core/errors.js";
import { parseChatRequest } from "../../../src/dialects/openai-chat/parse.js";

export const hello = { role: "user", content: "Hello" };

/** Returns a small request body with additional fields. */
export function body(fields: object = {}): Record<string, unknown> {
  return { model: "ember-1m", messages: [hello], ...fields };
}

/** Returns the error with which a request is rejected. */
export function errorOf(value: unknown): HearthError {
  try {
    parseChatRequest(value);
  } catch (thrown) {
    if (thrown instanceof HearthError) return thrown;
    throw thrown;
  }
  throw new Error("the request was accepted");
}
