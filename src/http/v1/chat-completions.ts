/** POST /v1/chat/completions, streamed and whole. */
import { authorise } from "../../accounts/permissions.js";
import type { Clock } from "../../core/clock.js";
import { openaiErrorFrame } from "../../dialects/error-body.js";
import { createChunkEncoder, foldCompletion, type ChatIdentity } from "../../dialects/openai-chat/encode.js";
import { parseChatRequest } from "../../dialects/openai-chat/parse.js";
import { dataFrame, doneFrame, pingFrame } from "../../dialects/sse.js";
import type { Run } from "../../inference/generate.js";
import type { BuiltDeps } from "../deps.js";
import { createReply, type JsonPresenter, type StreamPresenter } from "../reply.js";
import type { Call } from "../route.js";

/** The handler over its dependencies. */
export function createChatCompletion(deps: BuiltDeps): (call: Call) => Promise<void> {
  const reply = createReply(deps);
  return async ({ ctx, principal, body, requestId, route }) => {
    const { request, stream, includeUsage, callsAsFunction } = parseChatRequest(body);
    const model = deps.models.find(request.model)?.manifest.id ?? request.model;
    authorise(principal, { endpoint: route.endpointAcl, model, modelAsWritten: request.model });
    const run = deps.generator.start(request, { principal, requestId, endpoint: route.path });
    const identity = identify(run, deps.clock, { choices: request.choices, callsAsFunction });
    if (stream) await reply.sendStream(ctx, run, streamPresenter(identity, includeUsage));
    else await reply.sendJson(ctx, run, jsonPresenter(identity));
  };
}

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
