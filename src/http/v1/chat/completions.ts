/** POST /v1/chat/completions, streamed, whole and deferred. */
import { z } from "zod";
import { authorise } from "../../../accounts/keys/permissions.js";
import type { Clock } from "../../../core/clock.js";
import { openaiErrorFrame } from "../../../dialects/error-body.js";
import { openaiErrorEvent } from "../../../dialects/error-wire.js";
import {
  createChunkEncoder,
  foldCompletion,
  type ChatIdentity,
} from "../../../dialects/openai-chat/encode.js";
import { parseChatRequest } from "../../../dialects/openai-chat/parse.js";
import { chatRequestSchema } from "../../../dialects/openai-chat/schema.js";
import { chatChunk, chatCompletion, deferredCompletion } from "../../../dialects/openai-chat/wire.js";
import { dataFrame, doneFrame, pingFrame } from "../../../dialects/sse.js";
import type { Run } from "../../../inference/run/generate.js";
import { usableModel } from "../../../inference/run/usable-model.js";
import type { BuiltDeps } from "../../deps.js";
import { limitWork, puttingOff } from "../../middleware/limit.js";
import { createReply, type JsonPresenter, type StreamPresenter } from "../../reply/reply.js";
import type { Call } from "../../route.js";
import type { RouteDocs } from "../../route-docs.js";

/** The handler over its dependencies. */
export function createChatCompletion(deps: BuiltDeps): (call: Call) => Promise<void> {
  const reply = createReply(deps);
  return async (call) => {
    const { ctx, principal, body, requestId, route } = call;
    const { request, stream, deferred, includeUsage, callsAsFunction } = parseChatRequest(body);
    const model = deps.models.find(request.model)?.manifest.id ?? request.model;
    authorise(principal, { endpoint: route.endpointAcl, model, modelAsWritten: request.model });
    if (deferred) {
      // A model that cannot answer is told of now, not when the answer is fetched.
      usableModel(deps.models, request.model);
      const admission = await limitWork(deps, call, request.model, request);
      const id = deps.random.id();
      const asker = { teamId: principal.team.id, apiKeyId: principal.key.id, endpoint: route.path };
      const put = () => deps.deferrals.put({ id, ...asker, body: JSON.stringify(body) });
      await puttingOff(deps, admission, id, put);
      ctx.body = { request_id: id };
      return;
    }
    const admission = await limitWork(deps, call, request.model, request);
    const run = deps.generator.start(request, { principal, requestId, endpoint: route.path, admission });
    const identity = identify(run, deps.clock, { choices: request.choices, callsAsFunction });
    if (stream) await reply.sendStream(ctx, run, streamPresenter(identity, includeUsage));
    else await reply.sendJson(ctx, run, jsonPresenter(identity));
  };
}

export const chatCompletionDocs: RouteDocs = {
  operation: "createChatCompletion",
  tag: "Chat",
  summary: "Answer a conversation",
  description:
    "The fields of OpenAI and xAI together. Fields that are not listed change nothing and are ignored; what is listed but not " +
    "served is refused by name.",
  body: chatRequestSchema,
  example: { model: "hearth-tiny-5m", messages: [{ role: "user", content: "Hello!" }] },
  errors: ["no_credits"],
  answers: {
    200: {
      description: "The answer; with `deferred: true` the id to fetch it by.",
      schema: z.union([chatCompletion, deferredCompletion]),
    },
  },
  stream: { schema: z.union([chatChunk, openaiErrorEvent]), named: false, done: true },
};

function identify(
  run: Run,
  clock: Clock,
  form: Pick<ChatIdentity, "choices" | "callsAsFunction">,
): ChatIdentity {
  return { id: run.id, created: Math.floor(clock.now() / 1000), model: run.model, ...form };
}

function streamPresenter(identity: ChatIdentity, includeUsage: boolean): StreamPresenter {
  const encode = createChunkEncoder(identity, includeUsage);
  return {
    frames: (event) => encode(event).map(dataFrame),
    closing: doneFrame,
    failure: (error) => dataFrame(openaiErrorFrame(error)),
    ping: pingFrame,
  };
}

function jsonPresenter(identity: ChatIdentity): JsonPresenter {
  const fold = foldCompletion(identity);
  return { add: (event) => fold.add(event), body: () => fold.result() };
}
