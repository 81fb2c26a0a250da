/** /v1/conversations/{id}/items: adds, lists, returns and deletes the items of a conversation. */
import { authorise } from "../../../accounts/principals/permissions.js";
import {
  encodeConversation,
  encodeItem,
  encodeItems,
} from "../../../dialects/openai-responses/conversations/encode.js";
import {
  parseInclude,
  parseItemsQuery,
  parseNewItems,
} from "../../../dialects/openai-responses/conversations/parse.js";
import {
  conversationItemsSchema,
  conversationSchema,
} from "../../../dialects/openai-responses/conversations/response-schema.js";
import {
  includeQuerySchema,
  itemsQuerySchema,
  newItemsSchema,
} from "../../../dialects/openai-responses/conversations/schema.js";
import { inputItemSchema } from "../../../dialects/openai-responses/items/input-item-schema.js";
import { itemsToStore, resolved } from "../../../answers/responses/conversation-items.js";
import { readBodyWithFiles } from "../../server/answer.js";
import { apiKeyRoute } from "../../server/route.js";

const conversationParam = { conversation_id: "Id of a conversation of the key's team." };
const itemParams = { ...conversationParam, item_id: "Id of an item of the conversation." };

/** Adds items at the end of a conversation. */
export const createConversationItems = apiKeyRoute({
  method: "POST",
  path: "/v1/conversations/:conversation_id/items",
  acl: "chat",
  docs: {
    operation: "createConversationItems",
    tag: "Conversations",
    summary: "Add items to a conversation",
    params: conversationParam,
    query: includeQuerySchema,
    body: newItemsSchema,
    example: { items: [{ role: "user", content: "My name is Ada." }] },
    errors: ["invalid_value"],
    answers: { 200: { description: "The added items.", schema: conversationItemsSchema } },
  },
  async handle(call, app) {
    const { ctx, principal, params, route } = call;
    const include = parseInclude(ctx.query);
    const inlined = await readBodyWithFiles(app, call);
    if (inlined === null) return;
    const items = parseNewItems(inlined.whole);
    authorise(principal, { endpoint: route.acl, model: null });
    const teamId = principal.team.id;
    const added = itemsToStore(await resolved(app, items, teamId, "items"), `items_${app.random.id()}`);
    await app.conversations.addItems(params["conversation_id"] ?? "", teamId, added);
    ctx.body = encodeItems(added, false, include);
  },
});

/** Lists a page of items. */
export const listConversationItems = apiKeyRoute({
  method: "GET",
  path: "/v1/conversations/:conversation_id/items",
  acl: "chat",
  docs: {
    operation: "listConversationItems",
    tag: "Conversations",
    summary: "List the items of a conversation",
    description: "The newest item is the first, unless `order` is `asc`.",
    params: conversationParam,
    query: itemsQuerySchema,
    answers: { 200: { description: "One page of items.", schema: conversationItemsSchema } },
  },
  async handle({ ctx, principal, params, route }, { conversations }) {
    const query = parseItemsQuery(ctx.query);
    authorise(principal, { endpoint: route.acl, model: null });
    const { items, hasMore } = await conversations.page(
      params["conversation_id"] ?? "",
      principal.team.id,
      query,
    );
    ctx.body = encodeItems(items, hasMore, query.include);
  },
});

/** Returns one item. */
export const getConversationItem = apiKeyRoute({
  method: "GET",
  path: "/v1/conversations/:conversation_id/items/:item_id",
  acl: "chat",
  docs: {
    operation: "getConversationItem",
    tag: "Conversations",
    summary: "Get an item of a conversation",
    params: itemParams,
    query: includeQuerySchema,
    answers: { 200: { description: "The item.", schema: inputItemSchema } },
  },
  async handle({ ctx, principal, params, route }, { conversations }) {
    const include = parseInclude(ctx.query);
    authorise(principal, { endpoint: route.acl, model: null });
    const [id, itemId] = [params["conversation_id"] ?? "", params["item_id"] ?? ""];
    ctx.body = encodeItem(await conversations.findItem(id, principal.team.id, itemId), include);
  },
});

/** Deletes one item. Returns the conversation, as the hosted API does. */
export const deleteConversationItem = apiKeyRoute({
  method: "DELETE",
  path: "/v1/conversations/:conversation_id/items/:item_id",
  acl: "chat",
  docs: {
    operation: "deleteConversationItem",
    tag: "Conversations",
    summary: "Delete an item of a conversation",
    params: itemParams,
    answers: { 200: { description: "The conversation.", schema: conversationSchema } },
  },
  async handle({ ctx, principal, params, route }, { conversations }) {
    authorise(principal, { endpoint: route.acl, model: null });
    const [id, teamId] = [params["conversation_id"] ?? "", principal.team.id];
    await conversations.deleteItem(id, teamId, params["item_id"] ?? "");
    ctx.body = encodeConversation(await conversations.find(id, teamId));
  },
});
