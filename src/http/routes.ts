/**
 * The one table of routes: what exists, who may call it, under which endpoint ACL. server.ts builds the router from it and
 * nothing else, so that a route which is not here does not exist, and none is open by oversight.
 */
import type { BuiltDeps } from "./deps.js";
import { presentApiKey } from "./v1/api-key.js";
import { createChatCompletion } from "./v1/chat-completions.js";
import { createComplete } from "./v1/complete.js";
import { createCompletion } from "./v1/completions.js";
import { listModelsInMemory } from "./v1/hearth-ps.js";
import { findImageGenerationModel, listImageGenerationModels } from "./v1/image-generation-models.js";
import { findLanguageModel, listLanguageModels } from "./v1/language-models.js";
import { createMessage } from "./v1/messages.js";
import { countMessageTokens } from "./v1/messages-count-tokens.js";
import { findModel, listModels } from "./v1/models.js";
import { tokenizeText } from "./v1/tokenize-text.js";
import { presentHealth } from "./healthz.js";
import { presentMetrics, presentMetricsToKeys } from "./metrics.js";
import { presentReadiness } from "./readyz.js";
import type { Route } from "./route.js";

/** Every route of this server. */
export function createRoutes(deps: BuiltDeps): readonly Route[] {
  const open = { errors: "openai", endpointAcl: null, guard: "none" } as const;
  const v1 = { errors: "openai", guard: "api-key" } as const;
  const anthropic = { errors: "anthropic", guard: "api-key", endpointAcl: "chat" } as const;
  return [
    { ...open, method: "GET", path: "/healthz", handler: presentHealth },
    { ...open, method: "GET", path: "/readyz", handler: presentReadiness(deps) },
    deps.metricsOpen
      ? { ...open, method: "GET", path: "/metrics", handler: presentMetrics(deps) }
      : {
          ...v1,
          method: "GET",
          path: "/metrics",
          endpointAcl: "metrics",
          handler: presentMetricsToKeys(deps),
        },
    {
      ...v1,
      method: "POST",
      path: "/v1/chat/completions",
      endpointAcl: "chat",
      handler: createChatCompletion(deps),
    },
    { ...anthropic, method: "POST", path: "/v1/messages", handler: createMessage(deps) },
    {
      ...anthropic,
      method: "POST",
      path: "/v1/messages/count_tokens",
      handler: countMessageTokens(deps),
    },
    { ...v1, method: "GET", path: "/v1/models", endpointAcl: "models", handler: listModels(deps) },
    { ...v1, method: "GET", path: "/v1/models/:id", endpointAcl: "models", handler: findModel(deps) },
    ...completionRoutes(deps),
    ...modelKindRoutes(deps),
    {
      ...v1,
      method: "GET",
      path: "/v1/hearth/ps",
      endpointAcl: "models",
      handler: listModelsInMemory(deps),
    },
    { ...v1, method: "GET", path: "/v1/api-key", endpointAcl: null, handler: presentApiKey },
  ];
}

/** The older routes of both houses, and the tokenizer alone. */
function completionRoutes(deps: BuiltDeps): readonly Route[] {
  const base = { errors: "openai", guard: "api-key", method: "POST" } as const;
  return [
    { ...base, path: "/v1/completions", endpointAcl: "sample", handler: createCompletion(deps) },
    {
      ...base,
      errors: "anthropic",
      path: "/v1/complete",
      endpointAcl: "sample",
      handler: createComplete(deps),
    },
    { ...base, path: "/v1/tokenize-text", endpointAcl: "tokenize", handler: tokenizeText(deps) },
  ];
}

/** The models of one kind, and one of them. */
function modelKindRoutes(deps: BuiltDeps): readonly Route[] {
  const base = { errors: "openai", guard: "api-key", method: "GET", endpointAcl: "models" } as const;
  return [
    { ...base, path: "/v1/language-models", handler: listLanguageModels(deps) },
    { ...base, path: "/v1/language-models/:id", handler: findLanguageModel(deps) },
    { ...base, path: "/v1/image-generation-models", handler: listImageGenerationModels },
    { ...base, path: "/v1/image-generation-models/:id", handler: findImageGenerationModel },
  ];
}
