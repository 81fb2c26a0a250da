/** POST /v1/chat/completions: streamed, as JSON, or deferred; GET, POST and DELETE: completions that were stored. */
import { z } from "zod";
import { authorise } from "../../../accounts/keys/permissions.js";
import type { GenerationRequest } from "../../../core/generation.js";
import { openaiErrorFrame } from "../../../dialects/error-body.js";
import { openaiErrorEvent } from "../../../dialects/error-schema.js";
import {
  type ChatIdentity,
  createChunkEncoder,
  foldCompletion,
} from "../../../dialects/openai-chat/encode.js";
import { type ChatRequest, parseChatRequest } from "../../../dialects/openai-chat/parse.js";
import {
  deletedCompletion,
  encodeStored,
  encodeStoredPage,
} from "../../../dialects/openai-chat/stored/encode.js";
import { parseCompletionsQuery, parseCompletionUpdate } from "../../../dialects/openai-chat/stored/parse.js";
import {
  deletedCompletion as deletedCompletionSchema,
  storedCompletion,
  storedCompletions as storedCompletionList,
} from "../../../dialects/openai-chat/stored/response-schema.js";
import {
  completionsQuerySchema,
  completionUpdateSchema,
} from "../../../dialects/openai-chat/stored/schema.js";
import { inlinedText } from "../../../answers/files/prompt-files.js";
import { createCompletionRecorder } from "../../../answers/chat/completion-recorder.js";
import { chatRequestSchema } from "../../../dialects/openai-chat/schema.js";
import {
  chatChunk,
  chatCompletion,
  deferredCompletion,
} from "../../../dialects/openai-chat/response-schema.js";
import { dataFrame, doneFrame, pingFrame } from "../../../dialects/sse.js";
import type { Run } from "../../../inference/run/generate.js";
import { usableModel } from "../../../inference/run/usable-model.js";
import type { AppContext } from "../../server/app-context.js";
import { ownerOf } from "../../../inference/stored-owner.js";
import { authoriseModel } from "../../../answers/authorise-model.js";
import { inlineFiles } from "../../server/inline-files.js";
import { parkReservation, reserveTokens } from "../../server/middleware/limit.js";
import { warningHeader } from "../../server/reply/run-headers.js";
import { type JsonPresenter, sendJson, sendStream, type StreamPresenter } from "../../server/reply/reply.js";
import { apiKeyRoute, type Call } from "../../server/route.js";

/** Queues a deferred completion. @param whole the body with the contents of its files, which can be deleted before it runs. */
async function defer(app: AppContext, call: Call, request: GenerationRequest, whole: unknown): Promise<void> {
  const { ctx, principal, body, bodyText, route } = call;
  // Reports an unusable model now and not when the answer is fetched.
  usableModel(app.models, request.model);
  const reservation = await reserveTokens(app, call, request.model, request);
  const id = app.random.id();
  const tags = principal.labels?.tags ?? [];
  const owner = { ...ownerOf(principal), apiKeyId: principal.key.id, endpoint: route.path, tags };
  const json = whole === body && bodyText !== null ? bodyText : inlinedText(whole, bodyText);
  const enqueue = () => app.deferredCompletions.create({ id, ...owner, body: json });
  await parkReservation(app, reservation, id, enqueue);
  ctx.set(warningHeader(request.warnings ?? []));
  ctx.body = { request_id: id };
}

/** Starts the run of an answer, which is stored at its end if the request wants that. */
async function start(
  app: AppContext,
  call: Call,
  { request, stream, callsAsFunction, textTools, stored }: ChatRequest,
): Promise<{ readonly run: Run; readonly identity: ChatIdentity }> {
  const { principal, requestId, route } = call;
  const reservation = await reserveTokens(app, call, request.model, request);
  const createTime = app.clock.now();
  const owner = { ...ownerOf(principal), createTime };
  const run: Run = app.generator.start(request, {
    principal,
    requestId,
    endpoint: route.path,
    streamed: stream,
    tokenReservation: reservation,
    ...(stored === null
      ? {}
      : { recorder: createCompletionRecorder(app.storedCompletions, { ...owner, stored }, () => identity) }),
  });
  const identity = identify(run, createTime, { choices: request.choices, callsAsFunction, textTools });
  return { run, identity };
}

/** Creates a chat completion, or queues a deferred one. */
export const createChatCompletion = apiKeyRoute({
  method: "POST",
  path: "/v1/chat/completions",
  acl: "chat",
  docs: {
    operation: "createChatCompletion",
    tag: "Chat",
    summary: "Create a chat completion",
    description:
      "Accepts the fields of OpenAI and xAI. Fields that are not listed are ignored; values that are listed but not supported are " +
      "rejected with the name of the field.",
    body: chatRequestSchema,
    example: { model: "hearth-tiny-5m", messages: [{ role: "user", content: "Hello!" }] },
    errors: ["no_credits", "budget_exceeded"],
    answers: {
      200: {
        description: "The answer; with `deferred: true` the id with which to fetch it.",
        schema: z.union([chatCompletion, deferredCompletion]),
      },
    },
    stream: { schema: z.union([chatChunk, openaiErrorEvent]), named: false, done: true },
  },
  async handle(call, app) {
    const { ctx, bodyText } = call;
    const inlined = await inlineFiles(app, call);
    if (inlined === null) return;
    const { whole } = inlined;
    const request = parseChatRequest(whole, bodyText);
    authoriseModel(app.models, call, request.request.model);
    if (request.stored !== null) await app.storedCompletions.refuseWhenFull();
    if (request.deferred) return defer(app, call, request.request, whole);
    const { run, identity } = await start(app, call, request);
    if (request.stream) await sendStream(app, ctx, run, streamPresenter(identity, request.includeUsage));
    else await sendJson(ctx, run, jsonPresenter(identity));
  },
});

const storedParams = { completion_id: "Id of a stored completion of the key's team." };

/** Lists the stored completions of the key's team. */
export const listStoredCompletions = apiKeyRoute({
  method: "GET",
  path: "/v1/chat/completions",
  acl: "chat",
  docs: {
    operation: "listStoredChatCompletions",
    tag: "Chat",
    summary: "List the stored chat completions",
    description: "The completions of the key's team that were requested with `store: true`, by time.",
    query: completionsQuerySchema,
    answers: { 200: { description: "One page of completions.", schema: storedCompletionList } },
  },
  async handle({ ctx, principal, route }, { storedCompletions }) {
    const query = parseCompletionsQuery(ctx.query);
    authorise(principal, { endpoint: route.acl, model: null });
    const { completions, hasMore } = await storedCompletions.page(principal.team.id, query);
    ctx.body = encodeStoredPage(completions, hasMore);
  },
});

/** Returns a stored completion. */
export const getStoredCompletion = apiKeyRoute({
  method: "GET",
  path: "/v1/chat/completions/:completion_id",
  acl: "chat",
  docs: {
    operation: "getStoredChatCompletion",
    tag: "Chat",
    summary: "Get a stored chat completion",
    params: storedParams,
    answers: { 200: { description: "The answer.", schema: storedCompletion } },
  },
  async handle({ ctx, principal, params, route }, { storedCompletions }) {
    authorise(principal, { endpoint: route.acl, model: null });
    ctx.body = encodeStored(await storedCompletions.find(params["completion_id"] ?? "", principal.team.id));
  },
});

/** Replaces the metadata of a stored completion. */
export const updateStoredCompletion = apiKeyRoute({
  method: "POST",
  path: "/v1/chat/completions/:completion_id",
  acl: "chat",
  docs: {
    operation: "updateStoredChatCompletion",
    tag: "Chat",
    summary: "Replace the metadata of a stored chat completion",
    params: storedParams,
    body: completionUpdateSchema,
    example: { metadata: { topic: "greetings" } },
    answers: { 200: { description: "The answer.", schema: storedCompletion } },
  },
  async handle({ ctx, principal, params, body, route }, { storedCompletions }) {
    const metadata = JSON.stringify(parseCompletionUpdate(body));
    authorise(principal, { endpoint: route.acl, model: null });
    const [id, teamId] = [params["completion_id"] ?? "", principal.team.id];
    await storedCompletions.update({ id, teamId, metadata });
    ctx.body = encodeStored(await storedCompletions.find(id, teamId));
  },
});

/** Deletes a stored completion. */
export const deleteStoredCompletion = apiKeyRoute({
  method: "DELETE",
  path: "/v1/chat/completions/:completion_id",
  acl: "chat",
  docs: {
    operation: "deleteStoredChatCompletion",
    tag: "Chat",
    summary: "Delete a stored chat completion",
    params: storedParams,
    answers: { 200: { description: "The completion is deleted.", schema: deletedCompletionSchema } },
  },
  async handle({ ctx, principal, params, route }, { storedCompletions }) {
    authorise(principal, { endpoint: route.acl, model: null });
    const id = params["completion_id"] ?? "";
    await storedCompletions.delete(id, principal.team.id);
    ctx.body = deletedCompletion(id);
  },
});

function identify(
  run: Run,
  createTime: number,
  form: Pick<ChatIdentity, "choices" | "callsAsFunction" | "textTools">,
): ChatIdentity {
  return {
    id: run.id,
    created: Math.floor(createTime / 1000),
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
