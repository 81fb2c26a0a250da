import { HearthError } from "../../../src/core/errors.js";
import type { GenerationRequest } from "../../../src/core/generation.js";
import type { ResponseIdentity } from "../../../src/dialects/openai-responses/encode.js";
import { generationRequest, parseResponsesRequest } from "../../../src/dialects/openai-responses/parse.js";
import { ember } from "../model.js";

export const weather = {
  type: "function",
  name: "get_weather",
  description: "Tells the weather.",
  parameters: { type: "object", properties: { city: { type: "string" } } },
};

/** A small request, with fields on top. */
export function body(fields: object = {}): Record<string, unknown> {
  return { model: "ember-1m", input: "Hello", ...fields };
}

/** What the house is asked for by such a request alone. */
export function generationOf(fields: object = {}): GenerationRequest {
  const request = parseResponsesRequest(body(fields));
  return generationRequest(request, request.input);
}

/** The error that a request meets. */
export function refusal(
  value: unknown,
  parse: (body: unknown) => unknown = parseResponsesRequest,
): HearthError {
  try {
    parse(value);
  } catch (thrown) {
    if (thrown instanceof HearthError) return thrown;
    throw thrown;
  }
  throw new Error("the request was accepted");
}

export const responseId = "resp_0193a1c25d7e7c409b1f2f6a8d3e4c51";

/** One response to such a request, complete three seconds after it began. */
export function identityOf(fields: object = {}): ResponseIdentity {
  const created = 1795219300;
  const request = parseResponsesRequest(body(fields));
  return { id: responseId, created, model: ember, request, now: () => created + 3 };
}
