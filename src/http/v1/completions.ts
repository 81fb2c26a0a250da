/** POST /v1/completions: continues raw prompts without a chat template, streamed or as JSON. */
import { z } from "zod";
import { openaiErrorFrame } from "../../dialects/error-body.js";
import { openaiErrorEvent } from "../../dialects/error-schema.js";
import {
  createCompletionEncoder,
  foldCompletion,
  type CompletionIdentity,
} from "../../dialects/openai-completions/encode.js";
import { parseCompletionRequest } from "../../dialects/openai-completions/parse.js";
import { completionRequestSchema } from "../../dialects/openai-completions/schema.js";
import { completion } from "../../dialects/openai-completions/response-schema.js";
import { dataFrame, doneFrame, pingFrame } from "../../dialects/sse.js";
import type { HttpDeps } from "../deps.js";
import { authoriseModel } from "../models/authorise-model.js";
import { reserveTokens } from "../middleware/limit.js";
import { createReply, type JsonPresenter, type StreamPresenter } from "../reply/reply.js";
import type { Call } from "../route.js";
import type { RouteDocs } from "../route-docs.js";

/** Creates a completion. */
export function createCompletion(deps: HttpDeps): (call: Call) => Promise<void> {
  const reply = createReply(deps);
  return async (call) => {
    const { ctx, principal, body, requestId, route } = call;
    const { request, stream, includeUsage, ...options } = parseCompletionRequest(body);
    authoriseModel(deps.models, call, request.model);
    const reservation = await reserveTokens(deps, call, request.model, request);
    const run = deps.generator.start(request, {
      principal,
      requestId,
      endpoint: route.path,
      streamed: stream,
      tokenReservation: reservation,
    });
    const identity: CompletionIdentity = {
      id: run.id,
      created: Math.floor(deps.clock.now() / 1000),
      model: run.model,
      modelName: run.modelName,
      choices: run.choices,
      ...options,
    };
    if (stream) await reply.sendStream(ctx, run, streamPresenter(identity, includeUsage));
    else await reply.sendJson(ctx, run, jsonPresenter(identity));
  };
}

export const createCompletionDocs: RouteDocs = {
  operation: "createCompletion",
  tag: "Completions",
  summary: "Continue a raw prompt",
  description:
    "Continues the prompt without a chat template. Fields that are not listed are ignored; values that are listed but not " +
    "supported are rejected with the name of the field.",
  body: completionRequestSchema,
  example: { model: "hearth-tiny-5m", prompt: "Once upon a time", max_tokens: 64 },
  errors: ["no_credits", "budget_exceeded"],
  answers: { 200: { description: "The completion.", schema: completion } },
  stream: { schema: z.union([completion, openaiErrorEvent]), named: false, done: true },
};

function streamPresenter(identity: CompletionIdentity, includeUsage: boolean): StreamPresenter {
  const encode = createCompletionEncoder(identity, includeUsage);
  return {
    frames: (event) => encode(event).map(dataFrame),
    closing: doneFrame,
    failure: (error) => dataFrame(openaiErrorFrame(error)),
    ping: pingFrame,
  };
}

function jsonPresenter(identity: CompletionIdentity): JsonPresenter {
  const fold = foldCompletion(identity);
  return { add: (event) => fold.add(event), body: () => fold.result() };
}
