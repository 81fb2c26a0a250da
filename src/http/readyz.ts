import { z } from "zod";
import { openaiError } from "../dialects/error-wire.js";
import { shape, shapes } from "../dialects/shape.js";
import type { Context } from "./context.js";
import type { HttpDeps } from "./deps.js";
import type { RouteDocs } from "./route-docs.js";

/** GET /readyz: 200 when the server takes work, else 503 with the reasons. */
export function presentReadiness(deps: Pick<HttpDeps, "ready">): (ctx: Context) => Promise<void> {
  return async (ctx) => {
    const reasons = await deps.ready();
    ctx.status = reasons.length === 0 ? 200 : 503;
    ctx.body = reasons.length === 0 ? { status: "ok" } : { status: "unavailable", reasons };
  };
}

const ready = shape({ status: z.literal("ok") }).meta({ id: "Ready" });
const unready = shape({ status: z.literal("unavailable"), reasons: shapes(z.string()) }).meta({
  id: "Unready",
});

export const readinessDocs: RouteDocs = {
  operation: "getReadiness",
  tag: "Server",
  summary: "Tell whether the server takes work",
  answers: {
    200: { description: "It does.", schema: ready },
    503: { description: "It does not, and why.", schema: z.union([unready, openaiError]) },
  },
};
