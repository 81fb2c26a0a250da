/** How a request of POST /v1/responses is answered: by a run that its client waits for, or by the queue. */
import {
  createResponseEncoder,
  type ResponseEncoder,
  type ResponseIdentity,
} from "../../dialects/openai-responses/encode.js";
import { generationRequest, type ResponsesRequest } from "../../dialects/openai-responses/parse.js";
import { doneFrame, eventFrame, pingFrame } from "../../dialects/sse.js";
import type { BuiltDeps } from "../deps.js";
import { limitWork, puttingOff } from "../middleware/limit.js";
import type { JsonPresenter, Reply, StreamPresenter } from "../reply/reply.js";
import type { Call } from "../route.js";
import { itemsToStore, type RequestItems } from "../../jobs/responses/conversation-items.js";
import { keepResponse } from "../../jobs/responses/response-recorder.js";
import { followResponse } from "./stream.js";

export interface Asked {
  readonly call: Call;
  readonly request: ResponsesRequest;
  readonly identity: ResponseIdentity;
  /** Milliseconds since the epoch. */
  readonly createTime: number;
  readonly items: RequestItems;
}

/** Answers while the client waits; where it is to be stored, it is kept with the end of the run. */
export async function answer(deps: BuiltDeps, reply: Reply, asked: Asked): Promise<void> {
  const { call, request, identity, createTime, items } = asked;
  const { ctx, principal, requestId, route } = call;
  const { before, own } = items;
  const { stream: streamed } = request;
  const encoder = createResponseEncoder(identity);
  const kept = { memory: deps.memory, encoder, teamId: principal.team.id, createTime, own, streamed };
  const generation = generationRequest(request, [...before, ...own]);
  const admission = await limitWork(deps, call, request.model, generation);
  const run = deps.generator.start(generation, {
    principal,
    requestId,
    endpoint: route.path,
    admission,
    ...(request.store ? { keeper: keepResponse(kept) } : {}),
  });
  // A stream is told in the pieces that its reader gets, which are not always those that were kept.
  if (streamed) await reply.sendStream(ctx, run, streamPresenter(identity));
  else await reply.sendJson(ctx, run, request.store ? presentKept(encoder) : presentFolded(encoder));
}

/** Puts the work off, and answers with the queued response or with the stream of its making. */
export async function putInBackground(deps: BuiltDeps, reply: Reply, asked: Asked): Promise<void> {
  const { call, request, identity, createTime, items } = asked;
  const { ctx, principal, body, route } = call;
  const { memory, background } = deps;
  const { id } = identity;
  const generation = generationRequest(request, [...items.before, ...items.own]);
  const admission = await limitWork(deps, call, request.model, generation);
  const encoder = createResponseEncoder(identity);
  const opening = encoder.open();
  const response = encoder.response();
  const stored = memory.insertion({
    id,
    teamId: principal.team.id,
    previousId: request.previousResponseId,
    status: "queued",
    background: true,
    streamed: request.stream,
    body: JSON.stringify(response),
    createTime,
    input: itemsToStore(items.own, id),
    output: [],
  });
  const log = request.stream ? memory.logs.open(id) : null;
  log?.append(...opening);
  const asker = { teamId: principal.team.id, apiKeyId: principal.key.id, endpoint: route.path };
  const put = () => background.enqueue({ id, ...asker, body: JSON.stringify(body), createTime }, stored);
  try {
    await puttingOff(deps, admission, id, put);
  } catch (thrown) {
    memory.logs.close(id);
    throw thrown;
  }
  if (log === null) ctx.body = response;
  else await reply.sendFrames(ctx, followResponse(log, 0), pingFrame);
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
    failure: (error) => [...encoder.fail(error).map(frame), doneFrame].join(""),
    ping: pingFrame,
  };
}

/** What is kept is what is told: the keeper has folded it already. */
function presentKept(encoder: ResponseEncoder): JsonPresenter {
  return { add: () => undefined, body: () => encoder.response() };
}

function presentFolded(encoder: ResponseEncoder): JsonPresenter {
  encoder.open();
  return { add: (event) => encoder.add(event), body: () => encoder.response() };
}
