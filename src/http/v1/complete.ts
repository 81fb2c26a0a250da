/** POST /v1/complete: Anthropic's Text Completions API, the predecessor of the Messages API. */
import { z } from "zod";
import {
  encodeCompletion,
  foldComplete,
  type CompleteIdentity,
} from "../../dialects/anthropic-complete/encode.js";
import { parseCompleteRequest } from "../../dialects/anthropic-complete/parse.js";
import { completeRequestSchema } from "../../dialects/anthropic-complete/schema.js";
import { completeEvent, completion } from "../../dialects/anthropic-complete/response-schema.js";
import { errorBody } from "../../dialects/error-body.js";
import { anthropicError } from "../../dialects/error-schema.js";
import { eventFrame } from "../../dialects/sse.js";
import type { HttpDeps } from "../deps.js";
import { authoriseModel } from "../models/authorise-model.js";
import { reserveTokens } from "../middleware/limit.js";
import { createReply, type JsonPresenter, type StreamPresenter } from "../reply/reply.js";
import type { Call } from "../route.js";
import type { RouteDocs } from "../route-docs.js";

/** Creates a text completion. */
export function createTextCompletion(deps: HttpDeps): (call: Call) => Promise<void> {
  const reply = createReply(deps);
  return async (call) => {
    const { ctx, principal, body, requestId, route } = call;
    const { request, stream } = parseCompleteRequest(body);
    authoriseModel(deps.models, call, request.model);
    const reservation = await reserveTokens(deps, call, request.model, request);
    const run = deps.generator.start(request, {
      principal,
      requestId,
      endpoint: route.path,
      streamed: stream,
      tokenReservation: reservation,
    });
    const identity = { id: run.id, model: run.model, modelName: run.modelName };
    if (stream) await reply.sendStream(ctx, run, streamPresenter(identity, requestId));
    else await reply.sendJson(ctx, run, jsonPresenter(identity));
  };
}

export const createTextCompletionDocs: RouteDocs = {
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
};

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
