/** POST /v1/complete: Anthropic's Text Completions API, the predecessor of the Messages API. */
import { z } from "zod";
import {
  type CompleteIdentity,
  encodeCompletion,
  foldComplete,
} from "../../../dialects/anthropic-complete/encode.js";
import { parseCompleteRequest } from "../../../dialects/anthropic-complete/parse.js";
import { completeRequestSchema } from "../../../dialects/anthropic-complete/schema.js";
import { completeEvent, completion } from "../../../dialects/anthropic-complete/response-schema.js";
import { errorBody } from "../../../dialects/error-body.js";
import { anthropicError } from "../../../dialects/error-schema.js";
import { eventFrame } from "../../../dialects/sse.js";
import { authoriseModel } from "../../../answers/authorise-model.js";
import { reserveTokens } from "../../server/middleware/limit.js";
import { type JsonPresenter, sendJson, sendStream, type StreamPresenter } from "../../server/reply/reply.js";
import { apiKeyRoute } from "../../server/route.js";

/** Creates a text completion. */
export const createTextCompletion = apiKeyRoute({
  method: "POST",
  path: "/v1/complete",
  acl: "sample",
  errors: "anthropic",
  docs: {
    operation: "createTextCompletion",
    tag: "Completions",
    summary: "Create an Anthropic text completion",
    description:
      "The turns of the prompt become a conversation in the template of the model. Text after the last `Assistant:` is " +
      "continued. Fields that are not listed are ignored.",
    body: completeRequestSchema,
    example: {
      model: "hearth-tiny-5m",
      prompt: "\n\nHuman: Hello!\n\nAssistant:",
      max_tokens_to_sample: 64,
    },
    errors: ["no_credits", "budget_exceeded"],
    answers: { 200: { description: "The answer.", schema: completion } },
    stream: { schema: z.union([completeEvent, anthropicError]), named: true, done: false },
  },
  async handle(call, app) {
    const { ctx, principal, body, requestId, route } = call;
    const { request, stream } = parseCompleteRequest(body);
    authoriseModel(app.models, call, request.model);
    const reservation = await reserveTokens(app, call, request.model, request);
    const run = app.generator.start(request, {
      principal,
      requestId,
      endpoint: route.path,
      streamed: stream,
      tokenReservation: reservation,
    });
    const identity = { id: run.id, model: run.model, modelName: run.modelName };
    if (stream) await sendStream(app, ctx, run, streamPresenter(identity, requestId));
    else await sendJson(ctx, run, jsonPresenter(identity));
  },
});

function streamPresenter(identity: CompleteIdentity, requestId: string): StreamPresenter {
  return {
    frames(event) {
      const piece = encodeCompletion(identity, event);
      return piece === null ? [] : [eventFrame(piece.type, piece)];
    },
    closing: "",
    failure: (error) => eventFrame("error", errorBody(error, "anthropic", requestId)),
    ping: eventFrame("ping", { type: "ping" }),
  };
}

function jsonPresenter(identity: CompleteIdentity): JsonPresenter {
  const fold = foldComplete(identity);
  return { add: (event) => fold.add(event), body: () => fold.result() };
}
