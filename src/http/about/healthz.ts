/** GET /healthz, and /health as clients of llama.cpp call it: reports that the process is alive, not whether it can accept work. */
import { z } from "zod";
import { responseObject } from "../../dialects/response-fields.js";
import type { RouteDocs } from "../server/route-docs.js";
import { publicRoute, type PublicCall } from "../server/route.js";

const healthStatus = responseObject({ status: z.literal("ok") }).meta({ id: "HealthStatus" });

const docs: RouteDocs = {
  operation: "getHealth",
  tag: "Server",
  summary: "Check whether the process is alive",
  answers: { 200: { description: "The process is alive.", schema: healthStatus } },
};

export const getHealth = publicRoute({ method: "GET", path: "/healthz", docs, handle: presentHealth });

export const getHealthAlias = publicRoute({
  method: "GET",
  path: "/health",
  docs: { ...docs, operation: "getHealthAlias", summary: "The same as /healthz, for llama.cpp's clients" },
  handle: presentHealth,
});

function presentHealth({ ctx }: PublicCall): void {
  ctx.body = { status: "ok" };
}
