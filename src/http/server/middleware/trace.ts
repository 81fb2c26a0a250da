import type { Tracing } from "../../../core/telemetry/tracing.js";
import type { Middleware } from "../context.js";

/** Requests of programs that watch the server: many, and all alike. */
const watched: readonly string[] = ["/healthz", "/health", "/readyz", "/metrics"];

/**
 * Traces each request until its response is ready or its stream has ended. The response names the span in the header `traceresponse`,
 * which the W3C proposes.
 */
export function traceRequests(tracing: Tracing): Middleware {
  return async (ctx, next) => {
    if (watched.includes(ctx.path)) {
      await next();
      return;
    }
    const { headers } = ctx.req;
    const span = tracing.startRequest(() => ({
      requestId: ctx.state.requestId,
      method: ctx.method,
      scheme: ctx.protocol,
      host: headers.host ?? null,
      userAgent: headers["user-agent"] ?? null,
      headers,
    }));
    if (span.id !== null) ctx.set("traceresponse", span.id);
    ctx.state.spanId = span.id;
    try {
      await span.within(next);
    } finally {
      const clientLeft = ctx.req.socket.destroyed;
      span.end({ route: ctx.state.routePath, status: ctx.status, clientLeft });
    }
  };
}
