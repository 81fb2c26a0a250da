/** Answers POST /v1/responses without a run while the client waits: with a job in the background, or with an empty response. */
import { reserveTokens } from "../../../answers/admit.js";
import type { Asking } from "../../../answers/endpoint.js";
import { itemsToStore } from "../../../answers/responses/conversation-items.js";
import { checkBackgroundServers } from "../../../answers/responses/mcp.js";
import { identifyResponse, type ResponseAnswer } from "../../../answers/responses/responses.js";
import { noUsage } from "../../../core/usage.js";
import { createResponseEncoder, type ResponseEncoder } from "../../../dialects/openai-responses/encode.js";
import { doneFrame, eventFrame, pingFrame } from "../../../dialects/sse.js";
import { usableModel } from "../../../inference/usable-model.js";
import { toStoredOwner } from "../../../inference/stored-owner.js";
import type { AppContext } from "../../server/app-context.js";
import { parkReservation } from "../../server/middleware/limit.js";
import { sendFrames } from "../../server/reply/reply.js";
import type { StreamOpening } from "../../server/reply/opening.js";
import { warningHeader } from "../../server/reply/run-headers.js";
import type { Call } from "../../server/route.js";
import { followResponse } from "./stream.js";

function createEncoder(app: AppContext, ready: ResponseAnswer): ResponseEncoder {
  const model = usableModel(app.models, ready.request.model);
  return createResponseEncoder(identifyResponse(ready, model, app));
}

/** Sends an empty response that is complete, and stores nothing. */
export async function answerWithoutRun(
  app: AppContext,
  { ctx }: Call,
  ready: ResponseAnswer,
  opening: StreamOpening | null,
): Promise<void> {
  ready.close?.();
  const encoder = createEncoder(app, ready);
  const end = { type: "generation-end", choice: 0, finishReason: "stop", stopSequence: null } as const;
  const events = [...encoder.open(), ...encoder.add({ ...end, usage: noUsage })];
  if (!ready.stream) {
    ctx.body = encoder.response();
    return;
  }
  await sendFrames(
    app,
    ctx,
    async function* () {
      for (const event of events) yield eventFrame(event.type, event);
      yield doneFrame;
    },
    { ping: pingFrame },
    opening ?? undefined,
  );
}

/** A request whose conversation is known, and which has no reservation yet. */
interface LoadedResponse {
  readonly asking: Asking;
  readonly ready: ResponseAnswer;
}

/** Queues the request, and sends the queued response or the stream of its events. */
export async function answerInBackground(
  app: AppContext,
  call: Call,
  loaded: LoadedResponse,
  opening: StreamOpening | null,
): Promise<void> {
  const { ready } = loaded;
  try {
    await enqueue(app, call, loaded, opening);
  } finally {
    ready.close?.();
  }
}

async function enqueue(
  app: AppContext,
  call: Call,
  { asking, ready }: LoadedResponse,
  opening: StreamOpening | null,
): Promise<void> {
  const { ctx, principal, body, bodyText, route } = call;
  const { storedResponses, backgroundJobs } = app;
  const { id, createTime, request, response: asked, items } = ready;
  checkBackgroundServers(app, asked);
  const encoder = createEncoder(app, ready);
  const reservation = await reserveTokens(app, asking, request.model, request);
  const firstEvents = encoder.open();
  const response = encoder.response();
  const stored = storedResponses.insertion({
    id,
    ...toStoredOwner(principal),
    previousId: asked.previousResponseId,
    conversationId: asked.conversationId,
    status: "queued",
    background: true,
    streamed: ready.stream,
    body: JSON.stringify(response),
    createTime,
    input: itemsToStore(items.ownInput, id),
    output: [],
  });
  const log = ready.stream ? storedResponses.logs.open(id) : null;
  log?.append(...firstEvents);
  const { team, key, labels } = principal;
  const owner = { teamId: team.id, apiKeyId: key.id, endpoint: route.path, tags: labels?.tags ?? [] };
  const job = { id, ...owner, body: bodyText ?? JSON.stringify(body), createTime };
  try {
    await parkReservation(app, reservation, id, () => backgroundJobs.enqueue(job, stored));
  } catch (thrown) {
    storedResponses.logs.close(id);
    throw thrown;
  }
  if (log !== null) storedResponses.relay.fill({ id, teamId: team.id });
  ctx.set(warningHeader(request.warnings ?? []));
  if (log === null) ctx.body = response;
  else await sendFrames(app, ctx, followResponse(log, 0), { ping: pingFrame }, opening ?? undefined);
}
