/** POST /v1/responses: streamed, as JSON, or in the background; GET and DELETE /v1/responses/{id}: a stored response. */
import { z } from "zod";
import { authorise } from "../../../accounts/principals/permissions.js";
import { isUnfinished } from "../../../inference/responses/stored-response.js";
import {
  responseEventSchema,
  responsesErrorEventSchema,
} from "../../../dialects/openai-responses/event-schema.js";
import { responsesRequestSchema } from "../../../dialects/openai-responses/schema.js";
import { deletedResponse } from "../../../dialects/openai-responses/pages.js";
import { withIncludes } from "../../../dialects/openai-responses/replay.js";
import {
  deletedResponseSchema,
  type ResponseObject,
  responseSchema,
} from "../../../dialects/openai-responses/response-schema.js";
import { fieldError } from "../../../dialects/field-error.js";
import { pingFrame, doneFrame, eventFrame } from "../../../dialects/sse.js";
import { sendFrames } from "../../server/reply/reply.js";
import { costHeader, warningHeader } from "../../server/reply/run-headers.js";
import { openResponseStream, followResponse } from "./stream.js";
import type { StreamDocs } from "../../server/route-docs.js";
import { load, reserve, reserveTokens } from "../../../answers/admit.js";
import { responses, identifyResponse, type ResponseAnswer } from "../../../answers/responses/responses.js";
import { admitCall, sendAnswer } from "../../server/answer.js";
import { apiKeyRoute, type Call } from "../../server/route.js";
import { endWithoutRun } from "../../../jobs/background-responses.js";
import type { Asking } from "../../../answers/endpoint.js";
import { itemsToStore } from "../../../answers/responses/conversation-items.js";
import { checkBackgroundServers } from "../../../answers/responses/mcp.js";
import { noUsage } from "../../../core/usage.js";
import { createResponseEncoder, type ResponseEncoder } from "../../../dialects/openai-responses/encode.js";
import { usableModel } from "../../../inference/usable-model.js";
import { toStoredOwner } from "../../../inference/stored-owner.js";
import type { AppContext } from "../../server/app-context.js";
import { parkReservation } from "../../server/middleware/limit.js";
import type { StreamOpening } from "../../server/reply/opening.js";

const stream: StreamDocs = {
  schema: z.union([responseEventSchema, responsesErrorEventSchema]),
  named: true,
  done: true,
};

/** Creates a response. */
export const createResponse = apiKeyRoute({
  method: "POST",
  path: "/v1/responses",
  acl: "chat",
  docs: {
    operation: "createResponse",
    tag: "Responses",
    summary: "Create a response",
    description:
      "The response is stored for 30 days unless `store` is false; a later request continues it with `previous_response_id`. With " +
      "`background: true` the response is queued: fetch it by its id, or follow it with `stream: true`. Fields that are not " +
      "listed are ignored; values that are listed but not supported are rejected with the name of the field.",
    body: responsesRequestSchema,
    example: { model: "hearth-tiny-5m", input: "Hello!" },
    errors: ["no_credits", "budget_exceeded", "dependency_failed"],
    answers: {
      200: { description: "The response; a background response is queued.", schema: responseSchema },
    },
    stream,
  },
  async handle(call, app) {
    await admitCall(
      app,
      responses,
      call,
      async (asking) => {
        const ready = await load(app, responses, asking);
        if (!ready.response.generates || ready.response.background) return { asking, ready };
        return { admitted: await reserve(app, responses, asking, ready) };
      },
      (read, opening) => {
        if (read.admitted !== undefined) return sendAnswer(app, responses, call, read.admitted, opening);
        const { asking, ready } = read;
        if (!ready.response.generates) return answerWithoutRun(app, call, ready, opening);
        return answerInBackground(app, call, { asking, ready }, opening);
      },
    );
  },
});

const queryFlag = z.enum(["true", "false"]).optional();
const includeField = z.union([z.string(), z.array(z.string())]).optional();
const querySchema = z.object({
  include: includeField.describe(
    "`reasoning.encrypted_content` adds the encrypted content to reasoning items.",
  ),
  "include[]": includeField.describe("The same as `include`."),
  stream: queryFlag.describe(
    "Returns the events instead, including future events of an unfinished response.",
  ),
  starting_after: z
    .string()
    .regex(/^\d{1,9}$/, "must be the number of an event")
    .optional(),
  include_obfuscation: z.string().optional().describe("Has no effect."),
});

/** Returns the current state of a response, or its stream after the event `starting_after`. */
export const getResponse = apiKeyRoute({
  method: "GET",
  path: "/v1/responses/:response_id",
  acl: "chat",
  docs: {
    operation: "getResponse",
    tag: "Responses",
    summary: "Get a stored response, or its stream",
    description:
      "The stream of an unfinished background response can be read if it was created with `stream: true`; the stream of a finished " +
      "response can always be read.",
    params: { response_id: "Id of a response of the key's team." },
    query: querySchema,
    answers: { 200: { description: "The current state of the response.", schema: responseSchema } },
    stream,
  },
  async handle({ ctx, principal, params, route }, app) {
    const query = parseQuery(ctx.query);
    authorise(principal, { endpoint: route.acl, model: null });
    const stored = await app.storedResponses.find(params["response_id"] ?? "", principal.team.id);
    if (query.stream)
      return sendFrames(app, ctx, await openResponseStream(app.storedResponses, stored, query.from), {
        ping: pingFrame,
      });
    const response = JSON.parse(stored.body) as ResponseObject;
    ctx.set(costHeader(response.usage?.cost_in_usd_ticks ?? null));
    ctx.body = withIncludes(response, query.include);
  },
});

/** Deletes a response; cancels it first if it is unfinished. */
export const deleteResponse = apiKeyRoute({
  method: "DELETE",
  path: "/v1/responses/:response_id",
  acl: "chat",
  docs: {
    operation: "deleteResponse",
    tag: "Responses",
    summary: "Delete a stored response",
    description: "Responses that continue it can no longer be continued themselves.",
    params: { response_id: "Id of a response of the key's team." },
    answers: { 200: { description: "The response is deleted.", schema: deletedResponseSchema } },
  },
  async handle(
    { ctx, principal, params, route },
    { storedResponses: storedResponses, backgroundJobs: backgroundJobs },
  ) {
    authorise(principal, { endpoint: route.acl, model: null });
    const stored = await storedResponses.find(params["response_id"] ?? "", principal.team.id);
    if (isUnfinished(stored))
      await backgroundJobs.cancel(stored.id, () => endWithoutRun(storedResponses, stored, null));
    await storedResponses.delete(stored.id, stored.teamId);
    ctx.body = deletedResponse(stored.id);
  },
});

function parseQuery(query: unknown) {
  const parsed = querySchema.safeParse(query);
  if (!parsed.success) throw fieldError(parsed.error, query);
  const { include = [], "include[]": more = [], stream, starting_after: after } = parsed.data;
  return {
    include: [include, more].flat(),
    stream: stream === "true",
    from: after === undefined ? 0 : Number(after) + 1,
  };
}

// Answers POST /v1/responses without a run while the client waits: with a job in the background, or with an empty response.

function createEncoder(app: AppContext, ready: ResponseAnswer): ResponseEncoder {
  const model = usableModel(app.models, ready.request.model);
  return createResponseEncoder(identifyResponse(ready, model, app));
}

/** Sends an empty response that is complete, and stores nothing. */
async function answerWithoutRun(
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
async function answerInBackground(
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
