import type { Clock } from "../../../core/clock.js";
import type { Metrics } from "../../../core/metrics.js";
import type { Middleware } from "../context.js";

/** The status that proxies log when a client disconnects early; it is never sent. */
const clientLeft = 499;

/** Reports each request to the metrics when its response is ready or its stream has ended. */
export function measureRequests(metrics: Metrics, clock: Clock): Middleware {
  return async (ctx, next) => {
    const began = clock.monotonic();
    await next();
    metrics.requestFinished({
      route: ctx.state.routePath ?? "none",
      status: ctx.req.socket.destroyed ? clientLeft : ctx.status,
      durationMs: clock.monotonic() - began,
    });
  };
}
