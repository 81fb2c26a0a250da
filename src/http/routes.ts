/**
 * The route table: every route with its guard, endpoint ACL, handler and documentation. The router, the OpenAPI document and the list
 * of endpoint ACLs are built from it.
 */
import type { HttpDeps } from "./deps.js";
import { getApiKeyDocs, getApiKey } from "./v1/api-key.js";
import {
  createChatCompletionDocs,
  createChatCompletion,
  deleteStoredCompletion,
  deleteStoredCompletionDocs,
  getStoredCompletion,
  getStoredCompletionDocs,
  listStoredCompletions,
  listStoredCompletionsDocs,
  updateStoredCompletion,
  updateStoredCompletionDocs,
} from "./v1/chat/completions.js";
import { listStoredMessages, listStoredMessagesDocs } from "./v1/chat/completions/messages.js";
import { getDeferredCompletionDocs, getDeferredCompletion } from "./v1/chat/deferred-completion.js";
import { createTextCompletionDocs, createTextCompletion } from "./v1/complete.js";
import { createCompletionDocs, createCompletion } from "./v1/completions.js";
import {
  getEmbeddingModel,
  getEmbeddingModelDocs,
  listEmbeddingModels,
  listEmbeddingModelsDocs,
} from "./v1/embedding-models.js";
import { createEmbeddings, createEmbeddingsDocs } from "./v1/embeddings.js";
import { listLoadedModels, listLoadedModelsDocs } from "./v1/hearth/ps.js";
import {
  getImageGenerationModel,
  getImageGenerationModelDocs,
  listImageGenerationModelsDocs,
  listImageGenerationModels,
} from "./v1/image-generation-models.js";
import {
  getLanguageModel,
  getLanguageModelDocs,
  listLanguageModelsDocs,
  listLanguageModels,
} from "./v1/language-models.js";
import { editImageDocs, refuseImageInput } from "./v1/images/edits.js";
import { createImages, createImagesDocs } from "./v1/images/generations.js";
import { varyImage, varyImageDocs } from "./v1/images/variations.js";
import { createMessage, createMessageDocs } from "./v1/messages.js";
import { countMessageTokens, countMessageTokensDocs } from "./v1/messages/count-tokens.js";
import { getModel, listModels, getModelDocs, listModelsDocs } from "./v1/models.js";
import { createRanking, createRankingDocs } from "./v1/rerank.js";
import { getServer, getServerDocs } from "./v1.js";
import { tokenizeText, tokenizeTextDocs } from "./v1/tokenize-text.js";
import { docsPageDocs, getRoot, getRootDocs, presentDocsPage } from "./docs.js";
import { guideDocs, guideListDocs, presentGuides } from "./docs/guides.js";
import { openGuidesFolder } from "./docs/guides/folder.js";
import { pictureDocs, presentPicture } from "./docs/guides/pictures.js";
import { getHealthAliasDocs, getHealthDocs, getHealth } from "./healthz.js";
import { getImageDocs, getImage } from "./images.js";
import { getMetricsDocs, getMetrics, getMetricsWithKey } from "./metrics.js";
import { getOpenApiDocs, getOpenApi } from "./openapi-json.js";
import { getReadiness, getReadinessDocs } from "./readyz.js";
import { responseRoutes } from "./responses/routes.js";
import { batchRoutes } from "./batches/routes.js";
import { consoleRoutes } from "./console/routes.js";
import { managementRoutes } from "./management/routes.js";
import { ollamaRoutes } from "./ollama/routes.js";
import { anthropicRoute, apiKeyRoute, publicRoute, type Route, withoutBody } from "./route.js";

/** Returns every route of the server. */
export function createRoutes(deps: HttpDeps): readonly Route[] {
  const routes: readonly Route[] = [
    ...textRoutes(deps),
    ...storedCompletionRoutes(deps),
    ...responseRoutes(deps),
    ...embeddingRoutes(deps),
    ...imageRoutes(deps),
    ...batchRoutes(deps),
    ...modelRoutes(deps),
    apiKeyRoute("GET", "/v1/api-key", null, getApiKey(deps), getApiKeyDocs),
    ...managementRoutes(deps, () => routes),
    ...consoleRoutes(deps),
    ...(deps.ollamaApi ? ollamaRoutes(deps) : []),
    ...serverRoutes(deps, () => routes),
    ...documentationRoutes(deps),
  ];
  return routes;
}

function textRoutes(deps: HttpDeps): readonly Route[] {
  return [
    apiKeyRoute("POST", "/v1/chat/completions", "chat", createChatCompletion(deps), createChatCompletionDocs),
    apiKeyRoute(
      "GET",
      "/v1/chat/deferred-completion/:request_id",
      "chat",
      getDeferredCompletion(deps),
      getDeferredCompletionDocs,
    ),
    anthropicRoute("POST", "/v1/messages", "chat", createMessage(deps), createMessageDocs),
    anthropicRoute(
      "POST",
      "/v1/messages/count_tokens",
      "chat",
      countMessageTokens(deps),
      countMessageTokensDocs,
    ),
    apiKeyRoute("POST", "/v1/completions", "sample", createCompletion(deps), createCompletionDocs),
    anthropicRoute("POST", "/v1/complete", "sample", createTextCompletion(deps), createTextCompletionDocs),
    apiKeyRoute("POST", "/v1/tokenize-text", "tokenize", tokenizeText(deps), tokenizeTextDocs),
  ];
}

function storedCompletionRoutes(deps: HttpDeps): readonly Route[] {
  return [
    apiKeyRoute(
      "GET",
      "/v1/chat/completions",
      "chat",
      listStoredCompletions(deps),
      listStoredCompletionsDocs,
    ),
    apiKeyRoute(
      "GET",
      "/v1/chat/completions/:completion_id",
      "chat",
      getStoredCompletion(deps),
      getStoredCompletionDocs,
    ),
    apiKeyRoute(
      "POST",
      "/v1/chat/completions/:completion_id",
      "chat",
      updateStoredCompletion(deps),
      updateStoredCompletionDocs,
    ),
    apiKeyRoute(
      "DELETE",
      "/v1/chat/completions/:completion_id",
      "chat",
      deleteStoredCompletion(deps),
      deleteStoredCompletionDocs,
    ),
    apiKeyRoute(
      "GET",
      "/v1/chat/completions/:completion_id/messages",
      "chat",
      listStoredMessages(deps),
      listStoredMessagesDocs,
    ),
  ];
}

function embeddingRoutes(deps: HttpDeps): readonly Route[] {
  return [
    apiKeyRoute("POST", "/v1/embeddings", "embed", createEmbeddings(deps), createEmbeddingsDocs),
    apiKeyRoute("POST", "/v1/rerank", "embed", createRanking(deps), createRankingDocs),
  ];
}

function imageRoutes(deps: HttpDeps): readonly Route[] {
  return [
    apiKeyRoute("POST", "/v1/images/generations", "image", createImages(deps), createImagesDocs),
    withoutBody(apiKeyRoute("POST", "/v1/images/edits", "image", refuseImageInput, editImageDocs)),
    withoutBody(apiKeyRoute("POST", "/v1/images/variations", "image", varyImage, varyImageDocs)),
    publicRoute("GET", "/images/:name", getImage(deps), getImageDocs),
  ];
}

function modelRoutes(deps: HttpDeps): readonly Route[] {
  return [
    apiKeyRoute("GET", "/v1/models", "models", listModels(deps), listModelsDocs),
    apiKeyRoute("GET", "/v1/models/*id", "models", getModel(deps), getModelDocs),
    apiKeyRoute("GET", "/v1/language-models", "models", listLanguageModels(deps), listLanguageModelsDocs),
    apiKeyRoute("GET", "/v1/language-models/*id", "models", getLanguageModel(deps), getLanguageModelDocs),
    apiKeyRoute("GET", "/v1/embedding-models", "models", listEmbeddingModels(deps), listEmbeddingModelsDocs),
    apiKeyRoute("GET", "/v1/embedding-models/*id", "models", getEmbeddingModel(deps), getEmbeddingModelDocs),
    apiKeyRoute(
      "GET",
      "/v1/image-generation-models",
      "models",
      listImageGenerationModels(deps),
      listImageGenerationModelsDocs,
    ),
    apiKeyRoute(
      "GET",
      "/v1/image-generation-models/*id",
      "models",
      getImageGenerationModel(deps),
      getImageGenerationModelDocs,
    ),
    apiKeyRoute("GET", "/v1/hearth/ps", "models", listLoadedModels(deps), listLoadedModelsDocs),
  ];
}

function serverRoutes(deps: HttpDeps, routes: () => readonly Route[]): readonly Route[] {
  return [
    publicRoute("GET", "/v1", getServer(deps.version), getServerDocs),
    publicRoute("GET", "/healthz", getHealth, getHealthDocs),
    publicRoute("GET", "/health", getHealth, getHealthAliasDocs),
    publicRoute("GET", "/readyz", getReadiness(deps), getReadinessDocs),
    deps.metricsOpen
      ? publicRoute("GET", "/metrics", getMetrics(deps), getMetricsDocs)
      : apiKeyRoute("GET", "/metrics", "metrics", getMetricsWithKey(deps), getMetricsDocs),
    publicRoute("GET", "/openapi.json", getOpenApi(routes, deps.version), getOpenApiDocs),
  ];
}

function documentationRoutes(deps: HttpDeps): readonly Route[] {
  const folder = openGuidesFolder(deps.guidesFolder);
  const guides = presentGuides(folder);
  return [
    publicRoute("GET", "/docs", presentDocsPage(), docsPageDocs),
    publicRoute("GET", "/docs/guides", guides.list, guideListDocs),
    publicRoute("GET", "/docs/guides/:name", guides.guide, guideDocs),
    publicRoute("GET", "/docs/guides/pictures/:name", presentPicture(folder), pictureDocs),
    publicRoute("GET", "/", getRoot(deps), getRootDocs),
  ];
}
