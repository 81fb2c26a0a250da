/** Answers POST /v1/responses: with a run while the client waits, or with a background job. */
import { ownerOf } from "../../../inference/stored-owner.js";
import {
  createResponseEncoder,
  type ResponseEncoder,
  type ResponseIdentity,
} from "../../../dialects/openai-responses/encode.js";
import { generationRequest, type ResponsesRequest } from "../../../dialects/openai-responses/parse.js";
import { doneFrame, eventFrame, pingFrame } from "../../../dialects/sse.js";
import type { TokenReservation } from "../../../core/limits.js";
import { noUsage } from "../../../core/usage.js";
import type { AppContext } from "../../server/app-context.js";
import { reserveTokens, parkReservation, whileReserved } from "../../server/middleware/limit.js";
import {
  type JsonPresenter,
  type StreamPresenter,
  sendFrames,
  sendJson,
  sendStream,
} from "../../server/reply/reply.js";
import type { Call } from "../../server/route.js";
import { allOf, itemsToStore, type RequestItems } from "../../../answers/responses/conversation-items.js";
import { warningHeader } from "../../server/reply/run-headers.js";
import { whileClientWaits } from "../../server/reply/client.js";
import type { AllowedCall, ServerTool } from "../../../inference/run/run-deps.js";
import { checkBackgroundServers, listMcpTools, refuseUsedApprovals } from "../../../answers/responses/mcp.js";
import { serverToolsOf } from "../../../answers/responses/server-tools.js";
import { createResponseRecorder } from "../../../answers/responses/response-recorder.js";
import { followResponse } from "./stream.js";

export interface PreparedResponse {
  readonly call: Call;
  readonly request: ResponsesRequest;
  readonly identity: ResponseIdentity;
  /** Milliseconds since the epoch. */
  readonly createTime: number;
  readonly items: RequestItems;
  /** Keeps the conversation reserved until a promise is settled; otherwise it is released when the request is answered. */
  readonly untilEnd: (finished: Promise<void>) => void;
}

/** Runs the request while the client waits; the response is stored at the end of the run if the request wants that. */
export async function answerNow(app: AppContext, prepared: PreparedResponse): Promise<void> {
  const { call, request, identity, items } = prepared;
  const { id: teamId } = call.principal.team;
  const asked = generationRequest(request, allOf(items));
  const reservation = await reserveTokens(app, call, request.model, asked);
  // MCP servers are asked only for a request that may run.
  const listed = await whileReserved(reservation, async () => {
    if (request.mcpServers.length > 0) await app.generator.refuse(request, call.principal);
    await refuseUsedApprovals(app.mcpApprovals, items, teamId);
    return whileClientWaits(call.ctx.req.socket, (signal) => listMcpTools(app, request, items, signal));
  });
  if (listed === null) return;
  let finished: Promise<void> | null = null;
  const untilEnd = (end: Promise<void>): void => {
    finished = end;
    prepared.untilEnd(end);
  };
  try {
    await answerListed(app, {
      ...prepared,
      request: listed.request,
      identity: { ...identity, request: listed.request },
      untilEnd,
      reservation,
      mcpTools: listed.mcpTools,
      allowedCalls: listed.allowedCalls(app.mcpApprovals, teamId),
    });
  } finally {
    void (finished ?? Promise.resolve()).then(() => listed.close());
  }
}

/** A request that was admitted, and whose MCP servers have listed their tools. */
interface ListedResponse extends PreparedResponse {
  readonly reservation: TokenReservation;
  /** What executes the calls of MCP servers. */
  readonly mcpTools: readonly ServerTool[];
  /** The calls that the user has allowed. */
  readonly allowedCalls: readonly AllowedCall[];
}

async function answerListed(app: AppContext, prepared: ListedResponse): Promise<void> {
  const { call, request, identity, createTime, items, reservation } = prepared;
  const { ctx, principal, requestId, route } = call;
  const { ownInput } = items;
  const { stream: isStream } = request;
  const encoder = createResponseEncoder(identity);
  const recorderDeps = {
    storedResponses: app.storedResponses,
    encoder,
    owner: ownerOf(principal),
    createTime,
    ownInput,
    conversations: app.conversations,
    conversationId: request.conversationId,
    streamed: isStream,
  };
  const run = app.generator.start(generationRequest(request, allOf(items)), {
    principal,
    requestId,
    endpoint: route.path,
    streamed: isStream,
    tokenReservation: reservation,
    serverTools: [...serverToolsOf(app, request, principal), ...prepared.mcpTools],
    allowedCalls: prepared.allowedCalls,
    ...(request.store ? { recorder: createResponseRecorder(recorderDeps) } : {}),
  });
  prepared.untilEnd(run.finished);
  // A stream has an encoder of its own: the events that a client receives can be split differently from the recorded ones.
  if (isStream) await sendStream(app, ctx, run, streamPresenter(identity));
  else await sendJson(ctx, run, request.store ? presentStored(encoder) : presentFolded(encoder));
}

/** Sends an empty response that is complete, and stores nothing. */
export async function answerWithoutRun(
  app: AppContext,
  { call: { ctx }, identity, request }: PreparedResponse,
): Promise<void> {
  const encoder = createResponseEncoder(identity);
  const end = { type: "generation-end", choice: 0, finishReason: "stop", stopSequence: null } as const;
  const events = [...encoder.open(), ...encoder.add({ ...end, usage: noUsage })];
  if (!request.stream) {
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
  );
}

/** Queues the request, and sends the queued response or the stream of its events. */
export async function answerInBackground(app: AppContext, prepared: PreparedResponse): Promise<void> {
  const { call, request, identity, createTime, items } = prepared;
  const { ctx, principal, body, bodyText, route } = call;
  const { storedResponses: storedResponses, backgroundJobs: backgroundJobs } = app;
  checkBackgroundServers(app, request);
  await refuseUsedApprovals(app.mcpApprovals, items, principal.team.id);
  const { id } = identity;
  const generation = generationRequest(request, allOf(items));
  const reservation = await reserveTokens(app, call, request.model, generation);
  const encoder = createResponseEncoder(identity);
  const opening = encoder.open();
  const response = encoder.response();
  const stored = storedResponses.insertion({
    id,
    ...ownerOf(principal),
    previousId: request.previousResponseId,
    conversationId: request.conversationId,
    status: "queued",
    background: true,
    streams: request.stream,
    body: JSON.stringify(response),
    createTime,
    input: itemsToStore(items.ownInput, id),
    output: [],
  });
  const log = request.stream ? storedResponses.logs.open(id) : null;
  log?.append(...opening);
  const { team, key, labels } = principal;
  const owner = { teamId: team.id, apiKeyId: key.id, endpoint: route.path, tags: labels?.tags ?? [] };
  const enqueue = () =>
    backgroundJobs.enqueue({ id, ...owner, body: bodyText ?? JSON.stringify(body), createTime }, stored);
  try {
    await parkReservation(app, reservation, id, enqueue);
  } catch (thrown) {
    storedResponses.logs.close(id);
    throw thrown;
  }
  if (log !== null) storedResponses.relay.fill({ id, teamId: team.id });
  ctx.set(warningHeader(generation.warnings ?? []));
  if (log === null) ctx.body = response;
  else await sendFrames(app, ctx, followResponse(log, 0), { ping: pingFrame });
}

function streamPresenter(identity: ResponseIdentity): StreamPresenter {
  const encoder = createResponseEncoder(identity);
  let opened = false;
  const frame = (event: { readonly type: string }): string => eventFrame(event.type, event);
  return {
    frames(event) {
      const opening = opened ? [] : encoder.open();
      opened = true;
      return [...opening, ...encoder.add(event)].map(frame);
    },
    closing: doneFrame,
    failure: (error, usage) => [...encoder.fail(error, usage).map(frame), doneFrame].join(""),
    ping: pingFrame,
  };
}

/** Presents the response of the run recorder, which has already folded the events, so that it equals the stored one. */
function presentStored(encoder: ResponseEncoder): JsonPresenter {
  return { add: () => undefined, body: () => encoder.response() };
}

function presentFolded(encoder: ResponseEncoder): JsonPresenter {
  encoder.open();
  return { add: (event) => encoder.add(event), body: () => encoder.response() };
}
