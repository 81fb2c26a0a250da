import { HearthError } from "../../../src/core/errors.js";
import type { GenerationRequest } from "../../../src/core/generation.js";
import type { ResponseIdentity } from "../../../src/dialects/openai-responses/encode.js";
import { generationRequest, parseResponsesRequest } from "../../../src/dialects/openai-responses/parse.js";
import { ember } from "../../kit/scripted/ember.js";

export const weather = {
  type: "function",
  name: "get_weather",
  description: "Tells the weather.",
  parameters: { type: "object", properties: { city: { type: "string" } } },
};

/** Returns a small request body with additional fields. */
export function body(fields: object = {}): Record<string, unknown> {
  return { model: "ember-1m", input: "Hello", ...fields };
}

/** Returns the generation request of such a body. */
export function generationOf(fields: object = {}): GenerationRequest {
  const request = parseResponsesRequest(body(fields));
  return generationRequest(request, request.input);
}

/** Returns the error with which a request is rejected. */
export function errorOf(
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

/** Returns the identity of a response to such a request, completed three seconds after its creation. */
export function identityOf(fields: object = {}): ResponseIdentity {
  const created = 1795219300;
  const request = parseResponsesRequest(body(fields));
  return {
    id: responseId,
    created,
    model: ember,
    modelName: ember.manifest.id,
    request,
    now: () => created + 3,
  };
}
