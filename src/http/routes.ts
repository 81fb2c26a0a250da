/**
 * The one table of routes: what exists, who may call it, under which endpoint ACL. server.ts builds the router from it and
 * nothing else, so that a route which is not here does not exist, and none is open by oversight. The OpenAPI document is
 * made of the very same rows.
 */
import type { BuiltDeps } from "./deps.js";
import { apiKeyDocs, presentApiKey } from "./v1/api-key.js";
import { chatCompletionDocs, createChatCompletion } from "./v1/chat-completions.js";
import { deferredCompletionDocs, takeDeferredCompletion } from "./v1/chat-deferred-completion.js";
import { completeDocs, createComplete } from "./v1/complete.js";
import { completionDocs, createCompletion } from "./v1/completions.js";
import { listModelsInMemory, modelsInMemoryDocs } from "./v1/hearth-ps.js";
import {
  findImageGenerationModel,
  imageModelDocs,
  imageModelListDocs,
  listImageGenerationModels,
} from "./v1/image-generation-models.js";
import {
  findLanguageModel,
  languageModelDocs,
  languageModelListDocs,
  listLanguageModels,
} from "./v1/language-models.js";
import { createMessage, messageDocs } from "./v1/messages.js";
import { countMessageTokens, messageTokensDocs } from "./v1/messages-count-tokens.js";
import { findModel, listModels, modelDocs, modelListDocs } from "./v1/models.js";
import {
  createResponse,
  deletedResponseDocs,
  deleteResponse,
  findResponse,
  foundResponseDocs,
  responseDocs,
} from "./v1/responses.js";
import { cancelledResponseDocs, cancelResponse } from "./v1/responses-cancel.js";
import { compactConversation, compactionDocs } from "./v1/responses-compact.js";
import { inputItemsDocs, listInputItems } from "./v1/responses-input-items.js";
import { countInputTokens, inputTokensDocs } from "./v1/responses-input-tokens.js";
import { tokenizeText, tokenizeTextDocs } from "./v1/tokenize-text.js";
import { docsPageDocs, presentDocsPage } from "./docs.js";
import { healthDocs, presentHealth } from "./healthz.js";
import { metricsDocs, presentMetrics, presentMetricsToKeys } from "./metrics.js";
import { openApiDocs, presentOpenApi } from "./openapi-json.js";
import { presentReadiness, readinessDocs } from "./readyz.js";
import { anthropicRoute, keyedRoute, openRoute, type GuardedRoute, type Route } from "./route.js";
import type { RouteDocs } from "./route-docs.js";

/** Every route of this server. */
export function createRoutes(deps: BuiltDeps): readonly Route[] {
  const routes: readonly Route[] = [
    ...textRoutes(deps),
    ...responseRoutes(deps),
    ...modelRoutes(deps),
    keyedRoute("GET", "/v1/api-key", null, presentApiKey, apiKeyDocs),
    ...serverRoutes(deps),
    openRoute(
      "GET",
      "/openapi.json",
      presentOpenApi(() => routes, deps.version),
      openApiDocs,
    ),
    openRoute("GET", "/docs", presentDocsPage(), docsPageDocs),
  ];
  return routes;
}

function textRoutes(deps: BuiltDeps): readonly Route[] {
  const deferred = takeDeferredCompletion(deps);
  return [
    keyedRoute("POST", "/v1/chat/completions", "chat", createChatCompletion(deps), chatCompletionDocs),
    keyedRoute("GET", "/v1/chat/deferred-completion/:request_id", "chat", deferred, deferredCompletionDocs),
    anthropicRoute("POST", "/v1/messages", "chat", createMessage(deps), messageDocs),
    anthropicRoute("POST", "/v1/messages/count_tokens", "chat", countMessageTokens(deps), messageTokensDocs),
    keyedRoute("POST", "/v1/completions", "sample", createCompletion(deps), completionDocs),
    anthropicRoute("POST", "/v1/complete", "sample", createComplete(deps), completeDocs),
    keyedRoute("POST", "/v1/tokenize-text", "tokenize", tokenizeText(deps), tokenizeTextDocs),
  ];
}

function responseRoutes(deps: BuiltDeps): readonly Route[] {
  const row = (
    method: Route["method"],
    path: string,
    handler: GuardedRoute["handler"],
    docs: RouteDocs,
  ): GuardedRoute => keyedRoute(method, path, "chat", handler, docs);
  return [
    row("POST", "/v1/responses", createResponse(deps), responseDocs),
    row("POST", "/v1/responses/input_tokens", countInputTokens(deps), inputTokensDocs),
    row("POST", "/v1/responses/compact", compactConversation(deps), compactionDocs),
    row("GET", "/v1/responses/:response_id", findResponse(deps), foundResponseDocs),
    row("DELETE", "/v1/responses/:response_id", deleteResponse(deps), deletedResponseDocs),
    row("GET", "/v1/responses/:response_id/input_items", listInputItems(deps), inputItemsDocs),
    {
      ...row("POST", "/v1/responses/:response_id/cancel", cancelResponse(deps), cancelledResponseDocs),
      takesBody: false,
    },
  ];
}

function modelRoutes(deps: BuiltDeps): readonly Route[] {
  const row = (path: string, handler: GuardedRoute["handler"], docs: RouteDocs) =>
    keyedRoute("GET", path, "models", handler, docs);
  return [
    row("/v1/models", listModels(deps), modelListDocs),
    row("/v1/models/*id", findModel(deps), modelDocs),
    row("/v1/language-models", listLanguageModels(deps), languageModelListDocs),
    row("/v1/language-models/*id", findLanguageModel(deps), languageModelDocs),
    row("/v1/image-generation-models", listImageGenerationModels, imageModelListDocs),
    row("/v1/image-generation-models/*id", findImageGenerationModel, imageModelDocs),
    row("/v1/hearth/ps", listModelsInMemory(deps), modelsInMemoryDocs),
  ];
}

function serverRoutes(deps: BuiltDeps): readonly Route[] {
  return [
    openRoute("GET", "/healthz", presentHealth, healthDocs),
    openRoute("GET", "/readyz", presentReadiness(deps), readinessDocs),
    deps.metricsOpen
      ? openRoute("GET", "/metrics", presentMetrics(deps), metricsDocs)
      : keyedRoute("GET", "/metrics", "metrics", presentMetricsToKeys(deps), metricsDocs),
  ];
}
