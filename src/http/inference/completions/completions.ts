/** POST /v1/completions: continues raw prompts without a chat template, streamed or as JSON. */
import { z } from "zod";
import { openaiErrorFrame } from "../../../dialects/error-body.js";
import { openaiErrorEvent } from "../../../dialects/error-schema.js";
import {
  type CompletionIdentity,
  createCompletionEncoder,
  foldCompletion,
} from "../../../dialects/openai-completions/encode.js";
import { parseCompletionRequest } from "../../../dialects/openai-completions/parse.js";
import { completionRequestSchema } from "../../../dialects/openai-completions/schema.js";
import { completion } from "../../../dialects/openai-completions/response-schema.js";
import { dataFrame, doneFrame, pingFrame } from "../../../dialects/sse.js";
import { authoriseModel } from "../../../answers/authorise-model.js";
import { reserveTokens } from "../../server/middleware/limit.js";
import { type JsonPresenter, sendJson, sendStream, type StreamPresenter } from "../../server/reply/reply.js";
import { apiKeyRoute } from "../../server/route.js";

/** Creates a completion. */
export const createCompletion = apiKeyRoute({
  method: "POST",
  path: "/v1/completions",
  acl: "sample",
  docs: {
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
  },
  async handle(call, app) {
    const { ctx, principal, body, requestId, route } = call;
    const { request, stream, includeUsage, ...options } = parseCompletionRequest(body);
    authoriseModel(app.models, call, request.model);
    const reservation = await reserveTokens(app, call, request.model, request);
    const run = app.generator.start(request, {
      principal,
      requestId,
      endpoint: route.path,
      streamed: stream,
      tokenReservation: reservation,
    });
    const identity: CompletionIdentity = {
      id: run.id,
      created: Math.floor(app.clock.now() / 1000),
      model: run.model,
      modelName: run.modelName,
      choices: run.choices,
      ...options,
    };
    if (stream) await sendStream(app, ctx, run, streamPresenter(identity, includeUsage));
    else await sendJson(ctx, run, jsonPresenter(identity));
  },
});

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
