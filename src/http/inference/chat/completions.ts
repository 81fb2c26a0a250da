/** POST /v1/chat/completions: streamed, as JSON, or deferred; GET, POST and DELETE: completions that were stored. */
import { z } from "zod";
import { authorise } from "../../../accounts/principals/permissions.js";
import { openaiErrorEvent } from "../../../dialects/error-schema.js";
import {
  encodeDeletedCompletion,
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
import { inlinedText } from "../../../answers/prompt-files.js";
import { chatRequestSchema } from "../../../dialects/openai-chat/schema.js";
import {
  chatChunk,
  chatCompletion,
  deferredCompletion,
} from "../../../dialects/openai-chat/response-schema.js";
import { usableModel } from "../../../inference/usable-model.js";
import type { AppContext } from "../../server/app-context.js";
import { toStoredOwner } from "../../../inference/stored-owner.js";
import { parkReservation } from "../../server/middleware/limit.js";
import { admit, type Admitted } from "../../../answers/admit.js";
import { chat, type ChatAnswer } from "../../../answers/chat.js";
import { admitCall, sendAnswer } from "../../server/answer.js";
import { warningHeader } from "../../server/reply/run-headers.js";
import { apiKeyRoute, type Call } from "../../server/route.js";

/** Queues a deferred completion. */
async function defer(
  app: AppContext,
  call: Call,
  { ready, reservation }: Admitted<ChatAnswer>,
): Promise<void> {
  const { ctx, principal, body, bodyText, route } = call;
  const { request, whole } = ready;
  const id = app.random.id();
  const tags = principal.labels?.tags ?? [];
  const owner = { ...toStoredOwner(principal), apiKeyId: principal.key.id, endpoint: route.path, tags };
  await parkReservation(app, reservation, id, () => {
    // Reports an unusable model now and not when the answer is fetched.
    usableModel(app.models, request.model);
    const json = whole === body && bodyText !== null ? bodyText : inlinedText(whole, bodyText);
    return app.deferredCompletions.create({ id, ...owner, body: json });
  });
  ctx.set(warningHeader(request.warnings ?? []));
  ctx.body = { request_id: id };
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
    await admitCall(
      app,
      chat,
      call,
      (asking) => admit(app, chat, asking),
      (admitted, opening) =>
        admitted.ready.deferred ? defer(app, call, admitted) : sendAnswer(app, chat, call, admitted, opening),
    );
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
    await storedCompletions.update(id, teamId, metadata);
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
    ctx.body = encodeDeletedCompletion(id);
  },
});
