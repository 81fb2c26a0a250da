import type { Clock } from "../../core/clock.js";
import type { Metrics } from "../../core/metrics.js";
import type { Middleware } from "../context.js";

/** What proxies log when a client did not wait for its answer; it is never sent. */
const clientLeft = 499;

/** Tells the metrics of each request once its answer is ready, or its stream has ended. */
export function measureRequests(metrics: Metrics, clock: Clock): Middleware {
  return async (ctx, next) => {
    const began = clock.monotonic();
    await next();
    metrics.requestAnswered({
      route: ctx.state.routePath ?? "none",
      status: ctx.req.socket.destroyed ? clientLeft : ctx.status,
      durationMs: clock.monotonic() - began,
    });
  };
}
