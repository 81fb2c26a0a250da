/** POST /v1/completions, streamed and whole: raw prompts, answered without a chat template. */
import { z } from "zod";
import { authorise } from "../../accounts/keys/permissions.js";
import { openaiErrorFrame } from "../../dialects/error-body.js";
import { openaiErrorEvent } from "../../dialects/error-wire.js";
import {
  createCompletionEncoder,
  foldCompletion,
  type CompletionIdentity,
} from "../../dialects/openai-completions/encode.js";
import { parseCompletionRequest } from "../../dialects/openai-completions/parse.js";
import { completionRequestSchema } from "../../dialects/openai-completions/schema.js";
import { completion } from "../../dialects/openai-completions/wire.js";
import { dataFrame, doneFrame, pingFrame } from "../../dialects/sse.js";
import type { BuiltDeps } from "../deps.js";
import { limitWork } from "../middleware/limit.js";
import { createReply, type JsonPresenter, type StreamPresenter } from "../reply/reply.js";
import type { Call } from "../route.js";
import type { RouteDocs } from "../route-docs.js";

/** The handler over its dependencies. */
export function createCompletion(deps: BuiltDeps): (call: Call) => Promise<void> {
  const reply = createReply(deps);
  return async (call) => {
    const { ctx, principal, body, requestId, route } = call;
    const { request, stream, includeUsage, ...told } = parseCompletionRequest(body);
    const model = deps.models.find(request.model)?.manifest.id ?? request.model;
    authorise(principal, { endpoint: route.endpointAcl, model, modelAsWritten: request.model });
    const admission = await limitWork(deps, call, request.model, request);
    const run = deps.generator.start(request, { principal, requestId, endpoint: route.path, admission });
    const identity: CompletionIdentity = {
      id: run.id,
      created: Math.floor(deps.clock.now() / 1000),
      model: run.model,
      choices: run.choices,
      ...told,
    };
    if (stream) await reply.sendStream(ctx, run, streamPresenter(identity, includeUsage));
    else await reply.sendJson(ctx, run, jsonPresenter(identity));
  };
}

export const completionDocs: RouteDocs = {
  operation: "createCompletion",
  tag: "Completions",
  summary: "Continue raw text",
  description:
    "Without a chat template. Fields that are not listed change nothing and are ignored; what is listed but not served is " +
    "refused by name.",
  body: completionRequestSchema,
  example: { model: "hearth-tiny-5m", prompt: "Once upon a time", max_tokens: 64 },
  errors: ["no_credits"],
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
