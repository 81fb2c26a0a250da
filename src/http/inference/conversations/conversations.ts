/** POST /v1/conversations; GET, POST and DELETE /v1/conversations/{id}: conversations that responses continue. */
import { authorise } from "../../../accounts/principals/permissions.js";
import {
  deletedConversation,
  encodeConversation,
} from "../../../dialects/openai-responses/conversations/encode.js";
import {
  parseConversation,
  parseConversationUpdate,
} from "../../../dialects/openai-responses/conversations/parse.js";
import {
  conversationSchema,
  deletedConversationSchema,
} from "../../../dialects/openai-responses/conversations/response-schema.js";
import {
  conversationRequestSchema,
  conversationUpdateSchema,
} from "../../../dialects/openai-responses/conversations/schema.js";
import { itemsToStore, resolved } from "../../../answers/responses/conversation-items.js";
import { readBodyWithFiles } from "../../server/answer.js";
import { apiKeyRoute } from "../../server/route.js";

const params = { conversation_id: "Id of a conversation of the key's team." };

/** Creates a conversation. */
export const createConversation = apiKeyRoute({
  method: "POST",
  path: "/v1/conversations",
  acl: "chat",
  docs: {
    operation: "createConversation",
    tag: "Conversations",
    summary: "Create a conversation",
    description: "A conversation is stored until it is deleted. A response continues it with `conversation`.",
    body: conversationRequestSchema,
    example: { items: [{ role: "user", content: "My name is Ada." }], metadata: { topic: "names" } },
    errors: ["invalid_value"],
    answers: { 200: { description: "The conversation.", schema: conversationSchema } },
  },
  async handle(call, app) {
    const { ctx, principal, route } = call;
    const inlined = await readBodyWithFiles(app, call);
    if (inlined === null) return;
    const { items, metadata } = parseConversation(inlined.whole);
    authorise(principal, { endpoint: route.acl, model: null });
    const conversation = {
      id: `conv_${app.random.id().replaceAll("-", "")}`,
      teamId: principal.team.id,
      createTime: app.clock.now(),
      metadata: JSON.stringify(metadata),
    };
    const own = await resolved(app, items, principal.team.id, "items");
    await app.conversations.create(conversation, itemsToStore(own, conversation.id));
    ctx.body = encodeConversation(conversation);
  },
});

/** Returns a conversation without its items. */
export const getConversation = apiKeyRoute({
  method: "GET",
  path: "/v1/conversations/:conversation_id",
  acl: "chat",
  docs: {
    operation: "getConversation",
    tag: "Conversations",
    summary: "Get a conversation",
    params,
    answers: { 200: { description: "The conversation.", schema: conversationSchema } },
  },
  async handle({ ctx, principal, params, route }, { conversations }) {
    authorise(principal, { endpoint: route.acl, model: null });
    ctx.body = encodeConversation(
      await conversations.find(params["conversation_id"] ?? "", principal.team.id),
    );
  },
});

/** Replaces the metadata of a conversation. */
export const updateConversation = apiKeyRoute({
  method: "POST",
  path: "/v1/conversations/:conversation_id",
  acl: "chat",
  docs: {
    operation: "updateConversation",
    tag: "Conversations",
    summary: "Replace the metadata of a conversation",
    params,
    body: conversationUpdateSchema,
    example: { metadata: { topic: "names" } },
    answers: { 200: { description: "The conversation.", schema: conversationSchema } },
  },
  async handle({ ctx, principal, params, body, route }, { conversations }) {
    const metadata = JSON.stringify(parseConversationUpdate(body));
    authorise(principal, { endpoint: route.acl, model: null });
    const [id, teamId] = [params["conversation_id"] ?? "", principal.team.id];
    await conversations.update(id, teamId, metadata);
    ctx.body = encodeConversation(await conversations.find(id, teamId));
  },
});

/** Deletes a conversation with its items. */
export const deleteConversation = apiKeyRoute({
  method: "DELETE",
  path: "/v1/conversations/:conversation_id",
  acl: "chat",
  docs: {
    operation: "deleteConversation",
    tag: "Conversations",
    summary: "Delete a conversation with its items",
    description: "Responses that were generated in it keep their own items.",
    params,
    answers: { 200: { description: "The conversation is deleted.", schema: deletedConversationSchema } },
  },
  async handle({ ctx, principal, params, route }, { conversations }) {
    authorise(principal, { endpoint: route.acl, model: null });
    const id = params["conversation_id"] ?? "";
    await conversations.delete(id, principal.team.id);
    ctx.body = deletedConversation(id);
  },
});
