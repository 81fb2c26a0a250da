import { HearthError } from "../../../src/core/errors.js";
import { parseMessagesRequest } from "../../../src/dialects/anthropic-messages/parse.js";

export const hello = { role: "user", content: "Hello" };
export const weather = {
  name: "get_weather",
  description: "Tells the weather.",
  input_schema: { type: "object", properties: { city: { type: "string" } } },
};

/** Returns a small request body with additional fields. */
export function body(fields: object = {}): Record<string, unknown> {
  return { model: "ember-1m", max_tokens: 4096, messages: [hello], ...fields };
}

/** Returns the parsed request of such a body. */
export function requestOf(fields: object) {
  return parseMessagesRequest(body(fields)).request;
}

/** Returns the error with which a request is rejected. */
export function errorOf(value: unknown): HearthError {
  try {
    parseMessagesRequest(value);
  } catch (thrown) {
    if (thrown instanceof HearthError) return thrown;
    throw thrown;
  }
  throw new Error("the request was accepted");
}
