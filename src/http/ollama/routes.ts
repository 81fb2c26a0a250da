/** The part of the route table that is Ollama's interface; the setting `ollamaApi` leaves it out. */
import { createOllamaBlob, createOllamaBlobDocs } from "../api/blobs.js";
import { createOllamaChat, createOllamaChatDocs } from "../api/chat.js";
import { copyOllamaModel, copyOllamaModelDocs } from "../api/copy.js";
import { createOllamaModel, createOllamaModelDocs } from "../api/create.js";
import { deleteOllamaModel, deleteOllamaModelDocs } from "../api/delete.js";
import { createOllamaEmbeddings, createOllamaEmbeddingsDocs } from "../api/embed.js";
import { createOllamaEmbedding, createOllamaEmbeddingDocs } from "../api/embeddings.js";
import { createOllamaGeneration, createOllamaGenerationDocs } from "../api/generate.js";
import { listOllamaRunning, listOllamaRunningDocs } from "../api/ps.js";
import { createOllamaPull, createOllamaPullDocs } from "../api/pull.js";
import { pushOllamaModel, pushOllamaModelDocs } from "../api/push.js";
import { showOllamaModel, showOllamaModelDocs } from "../api/show.js";
import { listOllamaModels, listOllamaModelsDocs } from "../api/tags.js";
import { getOllamaVersion, getOllamaVersionDocs } from "../api/version.js";
import type { HttpDeps } from "../deps.js";
import {
  apiKeyRoute,
  forAllTeams,
  managementRoute,
  ollamaRoute,
  publicRoute,
  withBody,
  withoutBody,
  type Route,
} from "../route.js";

/** Returns the routes of Ollama's interface. */
export function ollamaRoutes(deps: HttpDeps): readonly Route[] {
  return [...inferenceRoutes(deps), ...modelRoutes(deps), ...managedRoutes(deps), ...refusedRoutes()];
}

function inferenceRoutes(deps: HttpDeps): readonly Route[] {
  return [
    ollamaRoute(apiKeyRoute("POST", "/api/chat", "chat", createOllamaChat(deps), createOllamaChatDocs)),
    ollamaRoute(
      apiKeyRoute(
        "POST",
        "/api/generate",
        "sample",
        createOllamaGeneration(deps),
        createOllamaGenerationDocs,
      ),
    ),
    ollamaRoute(
      apiKeyRoute("POST", "/api/embed", "embed", createOllamaEmbeddings(deps), createOllamaEmbeddingsDocs),
    ),
    ollamaRoute(
      apiKeyRoute("POST", "/api/embeddings", "embed", createOllamaEmbedding(deps), createOllamaEmbeddingDocs),
    ),
  ];
}

function modelRoutes(deps: HttpDeps): readonly Route[] {
  return [
    ollamaRoute(apiKeyRoute("GET", "/api/tags", "models", listOllamaModels(deps), listOllamaModelsDocs)),
    ollamaRoute(apiKeyRoute("POST", "/api/show", "models", showOllamaModel(deps), showOllamaModelDocs)),
    ollamaRoute(apiKeyRoute("GET", "/api/ps", "models", listOllamaRunning(deps), listOllamaRunningDocs)),
    ollamaRoute(publicRoute("GET", "/api/version", getOllamaVersion(deps), getOllamaVersionDocs)),
  ];
}

function managedRoutes(deps: HttpDeps): readonly Route[] {
  return [
    ollamaRoute(
      forAllTeams(
        managementRoute("POST", "/api/pull", "ManageModels", createOllamaPull(deps), createOllamaPullDocs),
      ),
    ),
    ollamaRoute(
      withBody(
        forAllTeams(
          managementRoute(
            "DELETE",
            "/api/delete",
            "ManageModels",
            deleteOllamaModel(deps),
            deleteOllamaModelDocs,
          ),
        ),
      ),
    ),
  ];
}

function refusedRoutes(): readonly Route[] {
  const refused = (path: string, handler: typeof copyOllamaModel, docs: typeof copyOllamaModelDocs): Route =>
    ollamaRoute(withoutBody(apiKeyRoute("POST", path, null, handler, docs)));
  return [
    refused("/api/copy", copyOllamaModel, copyOllamaModelDocs),
    refused("/api/create", createOllamaModel, createOllamaModelDocs),
    refused("/api/push", pushOllamaModel, pushOllamaModelDocs),
    refused("/api/blobs/*digest", createOllamaBlob, createOllamaBlobDocs),
  ];
}
