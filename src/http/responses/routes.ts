/** The rows of the route table for responses and conversations. */
import type { HttpDeps } from "../deps.js";
import { apiKeyRoute, withoutBody, type Route } from "../route.js";
import {
  createConversation,
  createConversationDocs,
  deleteConversation,
  deleteConversationDocs,
  getConversation,
  getConversationDocs,
  updateConversation,
  updateConversationDocs,
} from "../v1/conversations.js";
import {
  createConversationItems,
  createConversationItemsDocs,
  deleteConversationItem,
  deleteConversationItemDocs,
  getConversationItem,
  getConversationItemDocs,
  listConversationItems,
  listConversationItemsDocs,
} from "../v1/conversations/items.js";
import {
  createResponse,
  deleteResponseDocs,
  deleteResponse,
  getResponse,
  getResponseDocs,
  createResponseDocs,
} from "../v1/responses.js";
import { cancelResponseDocs, cancelResponse } from "../v1/responses/cancel.js";
import { compactConversation, compactConversationDocs } from "../v1/responses/compact.js";
import { listInputItemsDocs, listInputItems } from "../v1/responses/input-items.js";
import { countInputTokens, countInputTokensDocs } from "../v1/responses/input-tokens.js";

/** Returns the routes of responses and of the conversations that they continue. */
export function responseRoutes(deps: HttpDeps): readonly Route[] {
  return [...storedResponseRoutes(deps), ...conversationRoutes(deps)];
}

function storedResponseRoutes(deps: HttpDeps): readonly Route[] {
  return [
    apiKeyRoute("POST", "/v1/responses", "chat", createResponse(deps), createResponseDocs),
    apiKeyRoute("POST", "/v1/responses/input_tokens", "chat", countInputTokens(deps), countInputTokensDocs),
    apiKeyRoute("POST", "/v1/responses/compact", "chat", compactConversation(deps), compactConversationDocs),
    apiKeyRoute("GET", "/v1/responses/:response_id", "chat", getResponse(deps), getResponseDocs),
    apiKeyRoute("DELETE", "/v1/responses/:response_id", "chat", deleteResponse(deps), deleteResponseDocs),
    apiKeyRoute(
      "GET",
      "/v1/responses/:response_id/input_items",
      "chat",
      listInputItems(deps),
      listInputItemsDocs,
    ),
    withoutBody(
      apiKeyRoute(
        "POST",
        "/v1/responses/:response_id/cancel",
        "chat",
        cancelResponse(deps),
        cancelResponseDocs,
      ),
    ),
  ];
}

function conversationRoutes(deps: HttpDeps): readonly Route[] {
  return [
    apiKeyRoute("POST", "/v1/conversations", "chat", createConversation(deps), createConversationDocs),
    apiKeyRoute(
      "GET",
      "/v1/conversations/:conversation_id",
      "chat",
      getConversation(deps),
      getConversationDocs,
    ),
    apiKeyRoute(
      "POST",
      "/v1/conversations/:conversation_id",
      "chat",
      updateConversation(deps),
      updateConversationDocs,
    ),
    apiKeyRoute(
      "DELETE",
      "/v1/conversations/:conversation_id",
      "chat",
      deleteConversation(deps),
      deleteConversationDocs,
    ),
    ...conversationItemRoutes(deps),
  ];
}

function conversationItemRoutes(deps: HttpDeps): readonly Route[] {
  return [
    apiKeyRoute(
      "POST",
      "/v1/conversations/:conversation_id/items",
      "chat",
      createConversationItems(deps),
      createConversationItemsDocs,
    ),
    apiKeyRoute(
      "GET",
      "/v1/conversations/:conversation_id/items",
      "chat",
      listConversationItems(deps),
      listConversationItemsDocs,
    ),
    apiKeyRoute(
      "GET",
      "/v1/conversations/:conversation_id/items/:item_id",
      "chat",
      getConversationItem(deps),
      getConversationItemDocs,
    ),
    apiKeyRoute(
      "DELETE",
      "/v1/conversations/:conversation_id/items/:item_id",
      "chat",
      deleteConversationItem(deps),
      deleteConversationItemDocs,
    ),
  ];
}
