/** POST /v1/conversations; GET, POST and DELETE /v1/conversations/{id}: conversations that responses continue. */
import { authorise } from "../../accounts/keys/permissions.js";
import {
  deletedConversation,
  encodeConversation,
} from "../../dialects/openai-responses/conversations/encode.js";
import {
  parseConversation,
  parseConversationUpdate,
} from "../../dialects/openai-responses/conversations/parse.js";
import {
  conversationSchema,
  deletedConversationSchema,
} from "../../dialects/openai-responses/conversations/response-schema.js";
import {
  conversationRequestSchema,
  conversationUpdateSchema,
} from "../../dialects/openai-responses/conversations/schema.js";
import { itemsToStore, resolved } from "../../jobs/responses/conversation-items.js";
import type { HttpDeps } from "../deps.js";
import { inlineFiles } from "../models/inline-files.js";
import type { RouteDocs } from "../route-docs.js";
import type { Call } from "../route.js";

type ConversationDeps = Pick<
  HttpDeps,
  "models" | "conversations" | "promptFiles" | "storedResponses" | "clock" | "random"
>;

/** Creates a conversation. */
export function createConversation(deps: ConversationDeps): (call: Call) => Promise<void> {
  return async (call) => {
    const { ctx, principal, route } = call;
    const inlined = await inlineFiles(deps, call);
    if (inlined === null) return;
    const { items, metadata } = parseConversation(inlined.whole);
    authorise(principal, { endpoint: route.endpointAcl, model: null });
    const conversation = {
      id: `conv_${deps.random.id().replaceAll("-", "")}`,
      teamId: principal.team.id,
      createTime: deps.clock.now(),
      metadata: JSON.stringify(metadata),
    };
    const own = await resolved(deps, items, principal.team.id, "items");
    await deps.conversations.create(conversation, itemsToStore(own, conversation.id));
    ctx.body = encodeConversation(conversation);
  };
}

/** Returns a conversation without its items. */
export function getConversation({ conversations }: ConversationDeps): (call: Call) => Promise<void> {
  return async ({ ctx, principal, params, route }) => {
    authorise(principal, { endpoint: route.endpointAcl, model: null });
    ctx.body = encodeConversation(
      await conversations.find(params["conversation_id"] ?? "", principal.team.id),
    );
  };
}

/** Replaces the metadata of a conversation. */
export function updateConversation({ conversations }: ConversationDeps): (call: Call) => Promise<void> {
  return async ({ ctx, principal, params, body, route }) => {
    const metadata = JSON.stringify(parseConversationUpdate(body));
    authorise(principal, { endpoint: route.endpointAcl, model: null });
    const [id, teamId] = [params["conversation_id"] ?? "", principal.team.id];
    await conversations.update({ id, teamId, metadata });
    ctx.body = encodeConversation(await conversations.find(id, teamId));
  };
}

/** Deletes a conversation with its items. */
export function deleteConversation({ conversations }: ConversationDeps): (call: Call) => Promise<void> {
  return async ({ ctx, principal, params, route }) => {
    authorise(principal, { endpoint: route.endpointAcl, model: null });
    const id = params["conversation_id"] ?? "";
    await conversations.delete(id, principal.team.id);
    ctx.body = deletedConversation(id);
  };
}

const params = { conversation_id: "Id of a conversation of the key's team." };

export const createConversationDocs: RouteDocs = {
  operation: "createConversation",
  tag: "Conversations",
  summary: "Create a conversation",
  description: "A conversation is stored until it is deleted. A response continues it with `conversation`.",
  body: conversationRequestSchema,
  example: { items: [{ role: "user", content: "My name is Ada." }], metadata: { topic: "names" } },
  errors: ["invalid_value"],
  answers: { 200: { description: "The conversation.", schema: conversationSchema } },
};

export const getConversationDocs: RouteDocs = {
  operation: "getConversation",
  tag: "Conversations",
  summary: "Get a conversation",
  params,
  answers: { 200: { description: "The conversation.", schema: conversationSchema } },
};

export const updateConversationDocs: RouteDocs = {
  operation: "updateConversation",
  tag: "Conversations",
  summary: "Replace the metadata of a conversation",
  params,
  body: conversationUpdateSchema,
  example: { metadata: { topic: "names" } },
  answers: { 200: { description: "The conversation.", schema: conversationSchema } },
};

export const deleteConversationDocs: RouteDocs = {
  operation: "deleteConversation",
  tag: "Conversations",
  summary: "Delete a conversation with its items",
  description: "Responses that were generated in it keep their own items.",
  params,
  answers: { 200: { description: "The conversation is deleted.", schema: deletedConversationSchema } },
};
