import { z } from "zod";
import { openaiError } from "../dialects/error-schema.js";
import { responseObject, responseArray } from "../dialects/response-fields.js";
import type { Context } from "./context.js";
import type { HttpDeps } from "./deps.js";
import type { RouteDocs } from "./route-docs.js";

/** GET /readyz: returns 200 when the server can accept work, otherwise 503 with the reasons. */
export function getReadiness(deps: Pick<HttpDeps, "ready">): (ctx: Context) => Promise<void> {
  return async (ctx) => {
    const reasons = await deps.ready();
    ctx.status = reasons.length === 0 ? 200 : 503;
    ctx.body = reasons.length === 0 ? { status: "ok" } : { status: "unavailable", reasons };
  };
}

const ready = responseObject({ status: z.literal("ok") }).meta({ id: "ReadyStatus" });
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
