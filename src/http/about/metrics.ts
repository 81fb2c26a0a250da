/** GET /metrics: metrics in the Prometheus text format. */
import { authorise } from "../../accounts/principals/permissions.js";
import type { AppContext } from "../server/app-context.js";
import type { Context } from "../server/context.js";
import type { RouteDocs } from "../server/route-docs.js";
import { apiKeyRoute, publicRoute } from "../server/route.js";

const docs: RouteDocs = {
  operation: "getMetrics",
  tag: "Server",
  summary: "Get the metrics for Prometheus",
  description: "A server on a loopback address requires no key; behind a proxy the key must have the ACL.",
  answers: { 200: { description: "The metrics.", contentType: "text/plain" } },
};

/** The metrics without a key, for a server that only its own machine can reach. */
export const getMetrics = publicRoute({
  method: "GET",
  path: "/metrics",
  docs,
  handle: ({ ctx }, app) => present(ctx, app),
});

/** The metrics of all teams for a key with the ACL for them. */
export const getMetricsWithKey = apiKeyRoute({
  method: "GET",
  path: "/metrics",
  acl: "metrics",
  docs,
  handle({ ctx, principal, route }, app) {
    authorise(principal, { endpoint: route.acl, model: null });
    return present(ctx, app);
  },
});

async function present(ctx: Context, { metrics }: AppContext): Promise<void> {
  const { contentType, text } = await metrics.scrape();
  ctx.set("content-type", contentType);
  ctx.body = text;
}
