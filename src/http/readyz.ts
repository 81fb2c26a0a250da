import { z } from "zod";
import type { ModelRegistry } from "../core/model.js";
import { openaiError } from "../dialects/error-schema.js";
import { responseObject, responseArray } from "../dialects/response-fields.js";
import type { Context } from "./context.js";
import type { HttpDeps } from "./deps.js";
import type { RouteDocs } from "./route-docs.js";

/** Models that are named at most, since anyone may read them. */
const detailsMax = 100;

/** GET /readyz: returns 200 when the server can accept work, otherwise 503 with the reasons. */
export function getReadiness(
  deps: Pick<HttpDeps, "ready" | "models" | "remoteProblems">,
): (ctx: Context) => Promise<void> {
  return async (ctx) => {
    const reasons = await deps.ready();
    const details = [...unusableModels(deps.models), ...deps.remoteProblems().slice(0, detailsMax)];
    ctx.status = reasons.length === 0 ? 200 : 503;
    ctx.body =
      reasons.length > 0
        ? { status: "unavailable", reasons }
        : { status: "ok", ...(details.length === 0 ? {} : { details }) };
  };
}

function unusableModels(models: ModelRegistry): readonly string[] {
  const unusable = models.list().filter((model) => model.unusable !== null);
  return unusable
    .slice(0, detailsMax)
    .map(({ manifest, unusable: reason }) => `the model '${manifest.id}' cannot be used: ${reason ?? ""}`);
}

const ready = responseObject({
  status: z.literal("ok"),
  details: responseArray(z.string())
    .optional()
    .describe(
      "The models that cannot be used, or whose remote engines do not answer, each with the reason, and why rate limits are not counted in Redis; absent when there are none.",
    ),
}).meta({ id: "ReadyStatus" });
const notReady = responseObject({
  status: z.literal("unavailable"),
  reasons: responseArray(z.string()),
}).meta({
  id: "NotReadyStatus",
});

export const getReadinessDocs: RouteDocs = {
  operation: "getReadiness",
  tag: "Server",
  summary: "Check whether the server can accept work",
  answers: {
    200: { description: "The server can accept work.", schema: ready },
    503: { description: "It cannot, with the reasons.", schema: z.union([notReady, openaiError]) },
  },
};
