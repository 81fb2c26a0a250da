/** POST /v1/complete: an answer of a model, as Anthropic's clients asked for it before there were messages. */
import { z } from "zod";
import { authorise } from "../../accounts/keys/permissions.js";
import {
  encodeCompletion,
  foldComplete,
  type CompleteIdentity,
} from "../../dialects/anthropic-complete/encode.js";
import { parseCompleteRequest } from "../../dialects/anthropic-complete/parse.js";
import { completeRequestSchema } from "../../dialects/anthropic-complete/schema.js";
import { completeEvent, completion } from "../../dialects/anthropic-complete/wire.js";
import { errorBody } from "../../dialects/error-body.js";
import { anthropicError } from "../../dialects/error-wire.js";
import { eventFrame } from "../../dialects/sse.js";
import type { BuiltDeps } from "../deps.js";
import { limitWork } from "../middleware/limit.js";
import { createReply, type JsonPresenter, type StreamPresenter } from "../reply/reply.js";
import type { Call } from "../route.js";
import type { RouteDocs } from "../route-docs.js";

/** The handler over its dependencies. */
export function createComplete(deps: BuiltDeps): (call: Call) => Promise<void> {
  const reply = createReply(deps);
  return async (call) => {
    const { ctx, principal, body, requestId, route } = call;
    const { request, stream } = parseCompleteRequest(body);
    const model = deps.models.find(request.model)?.manifest.id ?? request.model;
    authorise(principal, { endpoint: route.endpointAcl, model, modelAsWritten: request.model });
    const admission = await limitWork(deps, call, request.model, request);
    const run = deps.generator.start(request, { principal, requestId, endpoint: route.path, admission });
    const identity = { id: run.id, model: run.model };
    if (stream) await reply.sendStream(ctx, run, streamPresenter(identity, requestId));
    else await reply.sendJson(ctx, run, jsonPresenter(identity));
  };
}

export const completeDocs: RouteDocs = {
  operation: "createTextCompletion",
  tag: "Completions",
  summary: "Continue Anthropic's turns",
  description:
    "The turns of the prompt become a conversation by the model's own template. A text after the last `Assistant:` is " +
    "continued. Fields that are not listed are ignored.",
  body: completeRequestSchema,
  example: {
    model: "hearth-tiny-5m",
    prompt: "\n\nHuman: Hello!\n\nAssistant:",
    max_tokens_to_sample: 64,
  },
  errors: ["no_credits"],
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
