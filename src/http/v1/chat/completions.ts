/** POST /v1/chat/completions: streamed, as JSON, or deferred. */
import { z } from "zod";
import type { Clock } from "../../../core/clock.js";
import { openaiErrorFrame } from "../../../dialects/error-body.js";
import { openaiErrorEvent } from "../../../dialects/error-schema.js";
import {
  createChunkEncoder,
  foldCompletion,
  type ChatIdentity,
} from "../../../dialects/openai-chat/encode.js";
import { parseChatRequest } from "../../../dialects/openai-chat/parse.js";
import { chatRequestSchema } from "../../../dialects/openai-chat/schema.js";
import {
  chatChunk,
  chatCompletion,
  deferredCompletion,
} from "../../../dialects/openai-chat/response-schema.js";
import { dataFrame, doneFrame, pingFrame } from "../../../dialects/sse.js";
import type { Run } from "../../../inference/run/generate.js";
import { usableModel } from "../../../inference/run/usable-model.js";
import type { HttpDeps } from "../../deps.js";
import { authoriseModel } from "../../models/authorise-model.js";
import { reserveTokens, parkReservation } from "../../middleware/limit.js";
import { createReply, type JsonPresenter, type StreamPresenter } from "../../reply/reply.js";
import type { Call } from "../../route.js";
import type { RouteDocs } from "../../route-docs.js";

/** Creates a chat completion, or queues a deferred one. */
export function createChatCompletion(deps: HttpDeps): (call: Call) => Promise<void> {
  const reply = createReply(deps);
  return async (call) => {
    const { ctx, principal, body, bodyText, requestId, route } = call;
    const { request, stream, deferred, includeUsage, callsAsFunction } = parseChatRequest(body, bodyText);
    authoriseModel(deps.models, call, request.model);
    if (deferred) {
      // Reports an unusable model now and not when the answer is fetched.
      usableModel(deps.models, request.model);
      const reservation = await reserveTokens(deps, call, request.model, request);
      const id = deps.random.id();
      const owner = { teamId: principal.team.id, apiKeyId: principal.key.id, endpoint: route.path };
      const json = bodyText ?? JSON.stringify(body);
      const enqueue = () => deps.deferredCompletions.create({ id, ...owner, body: json });
      await parkReservation(deps, reservation, id, enqueue);
      ctx.body = { request_id: id };
      return;
    }
    const reservation = await reserveTokens(deps, call, request.model, request);
    const run = deps.generator.start(request, {
      principal,
      requestId,
      endpoint: route.path,
      tokenReservation: reservation,
    });
    const identity = identify(run, deps.clock, { choices: request.choices, callsAsFunction });
    if (stream) await reply.sendStream(ctx, run, streamPresenter(identity, includeUsage));
    else await reply.sendJson(ctx, run, jsonPresenter(identity));
  };
}

export const createChatCompletionDocs: RouteDocs = {
  operation: "createChatCompletion",
  tag: "Chat",
  summary: "Create a chat completion",
  description:
    "Accepts the fields of OpenAI and xAI. Fields that are not listed are ignored; values that are listed but not supported are " +
    "rejected with the name of the field.",
  body: chatRequestSchema,
  example: { model: "hearth-tiny-5m", messages: [{ role: "user", content: "Hello!" }] },
  errors: ["no_credits"],
  answers: {
    200: {
      description: "The answer; with `deferred: true` the id with which to fetch it.",
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
  return {
    id: run.id,
    created: Math.floor(clock.now() / 1000),
    model: run.model,
    modelName: run.modelName,
    ...form,
  };
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
