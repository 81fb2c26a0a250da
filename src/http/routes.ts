/** Every route of the server. The router, the OpenAPI document and the list of endpoint ACLs are built from them. */
import { aboutRoutes } from "./about/routes.js";
import { consoleRoutes } from "./console/routes.js";
import { inferenceRoutes } from "./inference/routes.js";
import { managementRoutes } from "./management/routes.js";
import { ollamaRoutes } from "./ollama/routes.js";
import { getMetrics, getMetricsWithKey } from "./about/metrics.js";
import type { AppContext } from "./server/app-context.js";
import type { Route } from "./server/route.js";

/** Returns the routes that a server with these settings has. */
export function selectRoutes({
  ollamaApi,
  metricsOpen,
}: Pick<AppContext, "ollamaApi" | "metricsOpen">): readonly Route[] {
  return [
    ...inferenceRoutes,
    ...managementRoutes,
    ...consoleRoutes,
    ...(ollamaApi ? ollamaRoutes : []),
    ...aboutRoutes,
    metricsOpen ? getMetrics : getMetricsWithKey,
  ];
}
