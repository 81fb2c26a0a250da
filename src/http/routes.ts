/**
 * The one table of routes: what exists, who may call it, under which endpoint ACL. server.ts builds the router from it and
 * nothing else, so that a route which is not here does not exist, and none is open by oversight.
 */
import type { BuiltDeps } from "./deps.js";
import { presentApiKey } from "./v1/api-key.js";
import { createChatCompletion } from "./v1/chat-completions.js";
import { listModelsInMemory } from "./v1/hearth-ps.js";
import { findModel, listModels } from "./v1/models.js";
import { presentHealth } from "./healthz.js";
import { presentMetrics, presentMetricsToKeys } from "./metrics.js";
import { presentReadiness } from "./readyz.js";
import type { Route } from "./route.js";

/** Every route of this server. */
export function createRoutes(deps: BuiltDeps): readonly Route[] {
  const open = { errors: "openai", endpointAcl: null, guard: "none" } as const;
  const v1 = { errors: "openai", guard: "api-key" } as const;
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
    { ...v1, method: "GET", path: "/v1/models", endpointAcl: "models", handler: listModels(deps) },
    { ...v1, method: "GET", path: "/v1/models/:id", endpointAcl: "models", handler: findModel(deps) },
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
