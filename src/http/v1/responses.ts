/** POST /v1/responses: streamed, whole, or in the background; GET and DELETE /v1/responses/{id}: one that is kept. */
import { z } from "zod";
import { authorise } from "../../accounts/keys/permissions.js";
import { isUnended } from "../../inference/responses/stored-response.js";
import type { ResponseIdentity } from "../../dialects/openai-responses/encode.js";
import {
  responseEventSchema,
  responsesErrorEventSchema,
} from "../../dialects/openai-responses/event-schema.js";
import { parseResponsesRequest } from "../../dialects/openai-responses/parse.js";
import { responsesRequestSchema } from "../../dialects/openai-responses/schema.js";
import { deletedResponse } from "../../dialects/openai-responses/pages.js";
import { withIncludes } from "../../dialects/openai-responses/replay.js";
import {
  deletedResponseSchema,
  responseSchema,
  type ResponseObject,
} from "../../dialects/openai-responses/wire.js";
import { fieldError } from "../../dialects/field-error.js";
import { pingFrame } from "../../dialects/sse.js";
import { usableModel } from "../../inference/run/usable-model.js";
import type { BuiltDeps } from "../deps.js";
import { createReply } from "../reply/reply.js";
import { answer, putInBackground } from "../responses/answer.js";
import { findItems } from "../../jobs/responses/conversation-items.js";
import { streamOf } from "../responses/stream.js";
import type { RouteDocs, StreamDocs } from "../route-docs.js";
import type { Call } from "../route.js";
import { endUnbegun } from "../../jobs/responses/job-handler.js";

/** The handler over its dependencies. */
export function createResponse(deps: BuiltDeps): (call: Call) => Promise<void> {
  const reply = createReply(deps);
  return async (call) => {
    const { principal, body, route } = call;
    const request = parseResponsesRequest(body);
    const named = deps.models.find(request.model)?.manifest.id ?? request.model;
    authorise(principal, { endpoint: route.endpointAcl, model: named, modelAsWritten: request.model });
    if (request.store) await deps.memory.makeRoom();
    const createTime = deps.clock.now();
    const identity: ResponseIdentity = {
      id: `resp_${deps.random.id().replaceAll("-", "")}`,
      created: Math.floor(createTime / 1000),
      model: usableModel(deps.models, request.model),
      request,
      now: onceOnly(() => Math.floor(deps.clock.now() / 1000)),
    };
    const items = await findItems(deps.memory, request, principal.team.id);
    const asked = { call, request, identity, createTime, items };
    await (request.background ? putInBackground(deps, reply, asked) : answer(deps, reply, asked));
  };
}

/** Tells a response as it stands, or its stream from the event after `starting_after` on. */
export function findResponse(deps: BuiltDeps): (call: Call) => Promise<void> {
  const reply = createReply(deps);
  return async ({ ctx, principal, params, route }) => {
    const query = parseQuery(ctx.query);
    authorise(principal, { endpoint: route.endpointAcl, model: null });
    const stored = await deps.memory.find(params["response_id"] ?? "", principal.team.id);
    if (query.stream)
      return reply.sendFrames(ctx, await streamOf(deps.memory, stored, query.from), pingFrame);
    ctx.body = withIncludes(JSON.parse(stored.body) as ResponseObject, query.include);
  };
}

/** Deletes a response; one that is still at work is ended first. */
export function deleteResponse({ memory, background }: BuiltDeps): (call: Call) => Promise<void> {
  return async ({ ctx, principal, params, route }) => {
    authorise(principal, { endpoint: route.endpointAcl, model: null });
    const stored = await memory.find(params["response_id"] ?? "", principal.team.id);
    if (isUnended(stored)) await background.cancel(stored.id, () => endUnbegun(memory, stored, null));
    await memory.delete(stored.id, stored.teamId);
    ctx.body = deletedResponse(stored.id);
  };
}

const stream: StreamDocs = {
  schema: z.union([responseEventSchema, responsesErrorEventSchema]),
  named: true,
  done: true,
};

export const responseDocs: RouteDocs = {
  operation: "createResponse",
  tag: "Responses",
  summary: "Answer a conversation, and keep the answer",
  description:
    "Kept for 30 days unless `store` is false: a later request goes on from it by `previous_response_id`. With " +
    "`background: true` the answer is made when there is time: ask for it by its id, or follow it with `stream: true`. " +
    "Fields that are not listed change nothing and are ignored; what is listed but not served is refused by name.",
  body: responsesRequestSchema,
  example: { model: "hearth-tiny-5m", input: "Hello!" },
  errors: ["no_credits"],
  answers: { 200: { description: "The response; one in the background is queued.", schema: responseSchema } },
  stream,
};

const queryFlag = z.enum(["true", "false"]).optional();
const included = z.union([z.string(), z.array(z.string())]).optional();
const querySchema = z.object({
  include: included.describe("`reasoning.encrypted_content` adds it to reasoning items."),
  "include[]": included.describe("The same."),
  stream: queryFlag.describe("Its events instead: those still to come, too, while it is made."),
  starting_after: z
    .string()
    .regex(/^\d{1,9}$/, "must be a number of an event")
    .optional(),
  include_obfuscation: z.string().optional().describe("Changes nothing."),
});

export const foundResponseDocs: RouteDocs = {
  operation: "getResponse",
  tag: "Responses",
  summary: "Read a kept response, or its stream",
  description:
    "The stream of a background response can be read while it is made if that was asked for with `stream: true`, and of any when it is over.",
  params: { response_id: "Id of a response of the key's team." },
  query: querySchema,
  answers: { 200: { description: "The response as it stands.", schema: responseSchema } },
  stream,
};

export const deletedResponseDocs: RouteDocs = {
  operation: "deleteResponse",
  tag: "Responses",
  summary: "Delete a kept response",
  description: "What goes on from it can then no longer be gone on from.",
  params: { response_id: "Id of a response of the key's team." },
  answers: { 200: { description: "It is gone.", schema: deletedResponseSchema } },
};

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

/** What is kept and what is told say the same time. */
function onceOnly(ask: () => number): () => number {
  let told: number | null = null;
  return () => (told ??= ask());
}
