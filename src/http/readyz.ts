import type { Context } from "./context.js";
import type { HttpDeps } from "./deps.js";

/** GET /readyz: 200 when the server takes work, else 503 with the reasons. */
export function presentReadiness(deps: Pick<HttpDeps, "ready">): (ctx: Context) => Promise<void> {
  return async (ctx) => {
    const reasons = await deps.ready();
    ctx.status = reasons.length === 0 ? 200 : 503;
    ctx.body = reasons.length === 0 ? { status: "ok" } : { status: "unavailable", reasons };
  };
}
