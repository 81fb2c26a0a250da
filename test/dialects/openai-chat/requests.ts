import { HearthError } from "../../../src/core/errors.js";
import { parseChatRequest } from "../../../src/dialects/openai-chat/parse.js";

export const hello = { role: "user", content: "Hello" };

/** A small request, with fields on top. */
export function body(fields: object = {}): Record<string, unknown> {
  return { model: "ember-1m", messages: [hello], ...fields };
}

/** The error that a request meets. */
export function refusal(value: unknown): HearthError {
  try {
    parseChatRequest(value);
  } catch (thrown) {
    if (thrown instanceof HearthError) return thrown;
    throw thrown;
  }
  throw new Error("the request was accepted");
}
